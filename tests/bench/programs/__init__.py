"""What runs inside the panes: programs that note the true moment of each turn."""
