"""The only importer of llama_cpp: its low-level calls, what it lacks by ctypes, and RAII wrappers.

A GGML_ASSERT ends the process and can't be caught, so the wrappers check what would trip one first.
"""

import os

# Threads that spin while they wait for each other lose everything to any other work on the same cores: decoding
# was 15 times slower beside a busy machine, and indexing runs beside answers here. OpenMP reads this when it is
# loaded, so it is set before anything of llama_cpp is.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
