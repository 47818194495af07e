"""Framing and messages between the desktop and its children.

A message is a frame: 4 bytes little-endian length, then MessagePack of a tagged union. Each direction of each
child has its own union. Nothing pickled crosses, nothing listens on a port.
"""
