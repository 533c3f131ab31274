package platform

import "time"

// TakePiecesWithin limits the time for a piece of a window.
func (c *Client) TakePiecesWithin(limit time.Duration) { c.piece = limit }

// TakeWindowsOf has the client take windows of that many bytes at most, so that a test
// need not move as much as in use.
func (c *Client) TakeWindowsOf(bytes int) { c.maxWindow = bytes }
