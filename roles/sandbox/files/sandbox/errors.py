"""What the sandbox raises: one class per kind of trouble, each message naming the remedy."""


class SandboxError(Exception):
    """Something the person at the terminal can act on; the message is shown without a traceback."""


class BinaryMissingError(SandboxError):
    """No way to a binary was open on this machine."""


class NotReadyError(SandboxError):
    """A server was started but did not answer in time, or ended."""
