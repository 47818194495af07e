"""The inference engine: a child process that owns llama.cpp, and the client that talks to it."""
