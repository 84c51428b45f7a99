"""Benchmarks of beaver_compat; not part of the installed package."""
