"""Tests of the hypervisor: real cluster, real AWS server, real hypervisor process."""
