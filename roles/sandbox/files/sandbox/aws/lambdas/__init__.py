"""Lambda functions run from their zip by the real Python runtime client."""
