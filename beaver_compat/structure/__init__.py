"""What the lines of a text are to each other: headings, lists, code, logs, tables.  It knows no tokens and no pages."""
