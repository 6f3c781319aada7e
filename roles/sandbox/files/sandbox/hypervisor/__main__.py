"""`python -m sandbox.hypervisor`: see server.py."""

from sandbox.hypervisor.server import main

main()
