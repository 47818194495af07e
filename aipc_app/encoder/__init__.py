"""The encoder: a child process that turns texts into vectors and keeps the vector index.

It holds everything heavy (torch if a model needs it, Chroma), so that the desktop starts fast and survives it.
"""
