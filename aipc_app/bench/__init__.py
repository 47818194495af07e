"""Benchmarks: compare in one run, print JSON with medians and spread, never decide a test."""
