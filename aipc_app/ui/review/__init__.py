"""The Review tab: choose a template, see the findings come in, decide on them, compare, export."""
