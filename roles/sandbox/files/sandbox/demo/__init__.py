"""The flash sale that `make demo` plays: a shop, a load that rises and falls, and what the engine decides."""
