"""A case: documents, conversation, source viewer."""
