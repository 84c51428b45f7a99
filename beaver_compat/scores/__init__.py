"""The parts of the scores: tokens looked up and weighted, words and runs of words matched."""
