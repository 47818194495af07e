"""The source viewer: the page a citation rests on, with the span marked."""
