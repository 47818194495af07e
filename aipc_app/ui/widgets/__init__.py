"""Small parts shared by the screens."""
