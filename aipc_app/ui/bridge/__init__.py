"""Between the window's thread and the work: lanes of threads, and delivery of what they report."""
