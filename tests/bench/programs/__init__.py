"""What runs inside the panes: programs that note the true moment at which it is somebody's turn."""
