"""Tests of the flash sale that `make demo` plays, and of the role that brings the sandbox up."""
