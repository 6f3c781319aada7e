"""The cluster: a real control plane, KWOK nodes and real monitoring, all on loopback."""
