package e2etest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"countersign/internal/apidoc"
	"countersign/internal/app"
	"countersign/internal/sandbox/wire"
)

// documentsFolder is the variable with the folder of the platform's OpenAPI documents. Where it
// is set, every exchange with the sandbox is judged by them.
const documentsFolder = "COUNTERSIGN_TEST_OPENAPI"

// documents reads them once.
var documents = sync.OnceValues(func() (*apidoc.Documents, error) {
	folder := os.Getenv(documentsFolder)
	if folder == "" {
		return nil, nil
	}
	var files []string
	for _, name := range []string{"trusted-identity-platform.openapi.json", "onespan-sign.openapi.yaml"} {
		files = append(files, filepath.Join(folder, name))
	}
	read, err := apidoc.Read(files...)
	if err == nil {
		read.Know(app.KnownPaths()...)
	}
	return read, err
})

// departure is a row of the table of departures: what may differ.
type departure struct{ operation, side, reason string }

// departures reads the table in docs/platform.md.
var departures = sync.OnceValues(func() ([]departure, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(filepath.Join(root, "docs", "platform.md"))
	if err != nil {
		return nil, err
	}
	_, table, ok := strings.Cut(string(content), "## Departures")
	if !ok {
		return nil, errors.New("docs/platform.md has no departures")
	}
	var all []departure
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		all = append(all, inRow(cells)...)
	}
	return all, nil
})

// inRow returns the departures of a row: of each operation, each side and each part.
func inRow(cells []string) (all []departure) {
	for row := range strings.SplitSeq(plain(cells[1]), "`, `") {
		for _, operation := range operations(row) {
			for side := range strings.SplitSeq(plain(cells[2]), "; ") {
				for reason := range strings.SplitSeq(plain(cells[3]), "; ") {
					all = append(all, departure{operation, side, reason})
				}
			}
		}
	}
	return all
}

// moduleRoot returns the folder of go.mod, above the package that is tested.
func moduleRoot() (string, error) {
	at, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(at, "go.mod")); missing == nil {
			return at, nil
		}
		above := filepath.Dir(at)
		if above == at {
			return "", errors.New("no go.mod above the working directory")
		}
		at = above
	}
	return "", err
}

// operations returns one operation for each method of a row, such as "GET, PUT /a".
func operations(cell string) (all []string) {
	methods, path, several := strings.Cut(cell, " /")
	if !several {
		return []string{cell}
	}
	for method := range strings.SplitSeq(methods, ", ") {
		all = append(all, method+" /"+path)
	}
	return all
}

func plain(cell string) string { return strings.Trim(strings.TrimSpace(cell), "`") }

func (d departure) covers(v apidoc.Violation) bool {
	return (d.operation == v.Operation || strings.HasSuffix(d.operation, "…") && strings.HasPrefix(v.Operation, strings.TrimSuffix(d.operation, "…"))) &&
		d.side == v.Side && strings.Contains(v.Reason, d.reason)
}

// judged returns what judges the exchanges of a test with the sandbox, nil without documents. It
// reports when the test is over.
func judged(t testing.TB) func(apidoc.Exchange) {
	t.Helper()
	judge, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	if judge == nil {
		return nil
	}
	allowed, err := departures()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	found := map[string]bool{}
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for one := range found {
			t.Error(one)
		}
	})
	return func(e apidoc.Exchange) {
		if !isSandbox(e) {
			return
		}
		for _, v := range judge.Judge(e) {
			covered := false
			for _, d := range allowed {
				covered = covered || d.covers(v)
			}
			if !covered {
				mu.Lock()
				found[v.String()] = true
				mu.Unlock()
			}
		}
	}
}

// isSandbox reports whether the sandbox answered by itself, without a fault.
func isSandbox(e apidoc.Exchange) bool { return e.ResponseHeader.Get(wire.AnsweredBy) != "" }
