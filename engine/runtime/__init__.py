"""Serves requests on a loaded model: prompt to tokens, prefill in pieces, decode, scores, and whose turn it is."""
