"""What is kept for a budget and a caller's wishes, and how it is put together again."""
