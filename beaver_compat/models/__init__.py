"""What a model brings: its tokenizer, its embedding table, and the ways to get hold of both."""
