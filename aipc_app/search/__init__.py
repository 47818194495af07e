"""Finds passages: by words, by meaning, by exact figures and numbers; one list in the end."""
