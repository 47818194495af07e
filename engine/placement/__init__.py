"""Decides where a model's parts go. Pure: no file, no clock, no device is touched here."""
