"""Each file closes one gap of moto; each has a test that fails on stock moto."""
