"""Bots to play against and to copy from; ``bots.yaml`` names them and says how each is built and run."""
