//go:build tools

// Package tools pins what the sandbox builds; go.sum next to it holds every checksum.
package tools

import (
	_ "github.com/prometheus/alertmanager/cmd/alertmanager"
)
