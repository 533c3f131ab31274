package platform

// TakeWindowsOf has the client take windows of that many bytes at most, so that a test
// need not move as much as in use.
func (c *Client) TakeWindowsOf(bytes int) { c.window = bytes }
