"""Whose turn it is: one reading, one verdict, by named rules."""
