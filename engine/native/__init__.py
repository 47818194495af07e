"""The only importer of llama_cpp: its low-level calls, what it lacks by ctypes, and RAII wrappers.

A GGML_ASSERT ends the process and can't be caught, so the wrappers check what would trip one first.
"""
