"""An AWS on one machine: moto, and what moto lacks for an autoscaler."""
