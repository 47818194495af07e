"""What the user can set."""
