"""What leaves the dashboard as a file of its own."""
