"""The bot author's bench: comparing versions, watching sources, playing against a bot."""
