"""The command line of contract.md: parses, runs operations, prints."""
