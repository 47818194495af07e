"""From a question to an answer whose sentences are proved one by one, or to a refusal."""
