"""Colours, fonts, icons and the one style sheet."""
