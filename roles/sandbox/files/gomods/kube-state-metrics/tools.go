//go:build tools

// Package tools pins what the sandbox builds; go.sum next to it holds every checksum.
package tools

import (
	_ "k8s.io/kube-state-metrics/v2"
)
