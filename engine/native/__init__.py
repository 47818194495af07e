"""The only importer of llama_cpp: its low-level calls, what it lacks by ctypes, and RAII wrappers.

A GGML_ASSERT ends the process and can't be caught, so the wrappers check what would trip one first.
"""

import os

# How long a thread spins at a barrier before it sleeps. OpenMP's default (300,000 turns) loses everything to any other
# work on the same cores: decoding was 15 times slower beside a busy machine, and indexing runs beside answers here.
# Sleeping at once (OMP_WAIT_POLICY=passive) halves a small model's speed on a quiet machine. This is what libgomp
# itself uses when it knows of more threads than cores. Read when OpenMP is loaded, so set before llama_cpp is.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
