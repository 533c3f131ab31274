package drill_test

import (
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"
)

// store is the Redis of a site, in one of the three modes; the others are nil.
type store struct {
	mode     string
	settings []string
	own      [][]string
	server   *redistest.Server
	line     *e2etest.RedisLine // between node 0 and the server
	sentinel *redistest.Sentinel
	cluster  *redistest.Cluster
	front    *front // of the platform; nil where there is none
}

// withServer returns a single server, which the first node reaches over a line that can
// be cut.
func withServer(t testing.TB) *store {
	t.Helper()
	server := redistest.Start(t)
	line := e2etest.NewRedisLine(t, server.Addr)
	return &store{
		mode: "single", server: server, line: line,
		own: [][]string{{"COUNTERSIGN_REDIS_URL=" + line.URL()}, {"COUNTERSIGN_REDIS_URL=" + server.URL()}},
	}
}

func withSentinel(t testing.TB) *store {
	t.Helper()
	sentinel := redistest.StartSentinels(t)
	return &store{mode: "Sentinel", sentinel: sentinel, own: make([][]string, 2), settings: []string{
		"COUNTERSIGN_REDIS_MODE=sentinel", "COUNTERSIGN_REDIS_URL=" + sentinel.URL(),
	}}
}

func withCluster(t testing.TB) *store {
	t.Helper()
	cluster := redistest.StartReplicatedCluster(t)
	return &store{mode: "Cluster", cluster: cluster, own: make([][]string, 2), settings: []string{
		"COUNTERSIGN_REDIS_MODE=cluster", "COUNTERSIGN_REDIS_URL=" + cluster.URL(),
	}}
}
