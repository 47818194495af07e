"""From a fresh clone to a working checkout: standard library only; a step with nothing to do does nothing."""
