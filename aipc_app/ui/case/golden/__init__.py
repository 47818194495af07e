"""Golden questions of a case."""
