"""Items found word for word, without a model."""
