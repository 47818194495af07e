"""Frozen values that cross the engine's rooms and its wire."""
