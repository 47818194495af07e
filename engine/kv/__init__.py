"""What is remembered of prompts: in the context and on a shelf in RAM now; blocks on disk join here later."""
