"""The list of cases."""
