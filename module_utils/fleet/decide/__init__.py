"""Turns one observation of the fleet into one decision that explains itself. Pure: values in, values out."""
