"""The list of documents of a case or of the law library."""
