"""What the machine has, from what the native room and the operating system report."""
