"""The sandbox's binaries: PATH, cache, download, Debian package, `go build`; in this order, all pinned."""
