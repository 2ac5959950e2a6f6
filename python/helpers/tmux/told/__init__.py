"""What an answer tells, and what may be acted on since."""
