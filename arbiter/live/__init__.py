"""What one sees while a tournament runs: plain lines, or a live view in a terminal."""
