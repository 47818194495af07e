"""Frozen values that cross rooms. No input or output, no clock, no Qt."""
