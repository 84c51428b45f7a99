"""Components for LangChain, LlamaIndex and Haystack, each behind the extra of its name.

Each module imports its framework; nothing is imported before a module is.
"""
