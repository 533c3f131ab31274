package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// healthcheck requests /healthz on the admin address and returns 0 if it is healthy.
func (c command) healthcheck(ctx context.Context) int {
	options, ok := c.options()
	if !ok {
		return 2
	}
	if err := healthy(ctx, options.Config.AdminAddr); err != nil {
		fmt.Fprintf(c.stderr, "countersign: not healthy: %v\n", err)
		return 1
	}
	return 0
}

func healthy(ctx context.Context, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/healthz", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", response.Status)
	}
	return nil
}
