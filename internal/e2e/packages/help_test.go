package packages_test

import (
	"net/http"

	"countersign/internal/e2e/e2etest"
)

type members = map[string]any

var has, lacks, lease = e2etest.Says, e2etest.SaysNone, e2etest.Lease

const blank = e2etest.Blank

// create makes a package, and returns its id.
func create(c *e2etest.Client, p members) string {
	c.T.Helper()
	return c.Send("POST", "/api/packages", p).Want(http.StatusOK).Text("id")
}

// indexed waits until the index is complete.
func indexed(c *e2etest.Client) {
	c.T.Helper()
	e2etest.Eventually(c.T, "the index is whole", func() bool { return c.Send("GET", "/api/packages?mine=owner", nil).Status == http.StatusOK })
}
