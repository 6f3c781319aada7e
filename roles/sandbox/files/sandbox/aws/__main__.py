"""`python -m sandbox.aws` starts the AWS of the sandbox."""

from sandbox.aws.server import main

main()
