"""Templates, the runner that works a case out by one, and what is exported of it."""
