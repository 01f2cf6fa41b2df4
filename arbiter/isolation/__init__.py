"""Starting a bot's program and making sure that nothing of it stays behind."""
