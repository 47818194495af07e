"""What a user can set; a typo fails with a suggestion."""
