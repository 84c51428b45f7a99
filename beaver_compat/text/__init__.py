"""What a text is made of: characters, lines, words and sentences, as positions.  It knows no tokens and no pages."""
