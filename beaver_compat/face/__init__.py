"""LLMLingua's methods and what their callers read off a compressor."""
