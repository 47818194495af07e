"""Writers of documents that the program hands out."""
