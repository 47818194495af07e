"""Pure functions over text: what makes words, numbers, dates and amounts comparable."""
