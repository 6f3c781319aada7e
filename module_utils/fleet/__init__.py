"""The engine of node-fleet: decides how many workers a K3s fleet needs, and (later) carries it out."""
