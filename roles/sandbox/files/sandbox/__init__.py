"""A cluster and a cloud on one machine: the default inventory, and the ground of every integration test."""
