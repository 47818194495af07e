"""What is remembered of prompts: in the context's own memory now; blocks in RAM and on disk join here later."""
