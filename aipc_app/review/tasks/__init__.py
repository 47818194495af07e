"""Free tasks: a task in the user's own words, done step by step with a closed set of tools."""
