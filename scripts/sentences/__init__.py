"""Finds, in the source of the program, every sentence that may reach a person."""
