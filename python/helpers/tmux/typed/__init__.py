"""Type, see it drawn, Enter; press, taken, next; the answers to what is asked."""
