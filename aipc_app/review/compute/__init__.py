"""Amounts, dates and ratios worked out in code, each with its working. Pure; decimals, never floats."""
