"""Plays the machines behind EC2: instances become nodes, ended ones fall silent, faults happen on demand."""
