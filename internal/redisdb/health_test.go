package redisdb_test

import (
	"context"
	"strings"
	"testing"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
)

// often is the number of repetitions of a question whose answer may depend on the
// node that go-redis picks.
const often = 20

// TestReadable_WithoutReplicas removes part of the key space: a master is gone, whose
// slots the other nodes may do without, or a slot has no master.
func TestReadable_WithoutReplicas(t *testing.T) {
	t.Parallel()
	for _, coverage := range []string{"yes", "no"} {
		t.Run("full coverage "+coverage, func(t *testing.T) {
			nodes := redistest.StartCluster(t, "--cluster-require-full-coverage", coverage)
			db := open(t, redisdb.Options{URL: nodes.URL(), Mode: redisdb.ModeCluster})
			defer db.Close()
			always(t, db.Readable, "")
			always(t, db.Writable, "")

			nodes.Nodes[2].Kill()
			always(t, db.Readable, "read")
			always(t, db.Writable, "write")
			nodes.Nodes[2].Restart()
			redistest.Eventually(t, "all can be read again", func() bool { return db.Readable(t.Context()) == nil })

			for _, node := range nodes.Nodes {
				if err := node.Client().Do(t.Context(), "cluster", "delslots", 7).Err(); err != nil {
					t.Fatal(err)
				}
			}
			always(t, db.Readable, "not all slots have a master")
		})
	}
}

// TestReadable_WithReplicas stops a replica, and a master whose replica has taken over:
// Redis stays readable.
func TestReadable_WithReplicas(t *testing.T) {
	t.Parallel()
	nodes := redistest.StartReplicatedCluster(t)
	db := open(t, redisdb.Options{URL: nodes.URL(), Mode: redisdb.ModeCluster})
	defer db.Close()
	nodes.Replicas[0].Kill()
	always(t, db.Readable, "")
	nodes.Nodes[1].Kill()
	always(t, db.Readable, "read")
	nodes.FailedOver(t, 1)
	redistest.Eventually(t, "all can be read again", func() bool { return db.Readable(t.Context()) == nil })
	always(t, db.Readable, "")
	always(t, db.Writable, "")
}

// TestWritable_MasterRefusesWrites makes one master of several, or the only one, refuse writes in each
// possible way: reads go on.
func TestWritable_MasterRefusesWrites(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		begin, end []any
		says       string
	}{
		"full":             {[]any{"config", "set", "maxmemory", "1"}, []any{"config", "set", "maxmemory", "0"}, "OOM"},
		"too few replicas": {[]any{"config", "set", "min-replicas-to-write", "1"}, []any{"config", "set", "min-replicas-to-write", "0"}, "NOREPLICAS"},
		"a replica":        {[]any{"replicaof", "127.0.0.1", "1"}, []any{"replicaof", "no", "one"}, "READONLY"},
	} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t)
			masters := []*redistest.Server{server}
			options := []redisdb.Options{{URL: server.URL()}}
			if name != "a replica" { // a replica in a cluster has no slots
				nodes := redistest.StartCluster(t)
				masters = append(masters, nodes.Nodes[1])
				options = append(options, redisdb.Options{URL: nodes.URL(), Mode: redisdb.ModeCluster})
			}
			for i, master := range masters {
				db := open(t, options[i])
				defer db.Close()
				always(t, db.Writable, "")
				do(t, master, tt.begin)
				always(t, db.Writable, tt.says)
				always(t, db.Readable, "")
				do(t, master, tt.end)
				always(t, db.Writable, "")
			}
		})
	}
}

// TestReadable_StaleReplica asks a replica that knows that it is out of step: it is not
// readable.
func TestReadable_StaleReplica(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, "--replica-serve-stale-data", "no")
	db := open(t, redisdb.Options{URL: server.URL()})
	defer db.Close()
	do(t, server, []any{"replicaof", "127.0.0.1", "1"})
	always(t, db.Readable, "MASTERDOWN")
}

// always asks often, and expects an error that contains `says` each time, or none if that
// is "".
func always(t *testing.T, ask func(context.Context) error, says string) {
	t.Helper()
	for range often {
		err := ask(t.Context())
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Fatalf("%v, want %q", err, says)
		}
	}
}

func do(t *testing.T, server *redistest.Server, command []any) {
	t.Helper()
	if err := server.Client().Do(t.Context(), command...).Err(); err != nil {
		t.Fatal(err)
	}
}
