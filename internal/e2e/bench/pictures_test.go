package bench_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/internal/sandbox/pdf"
)

// pictured is the number of documents whose pages are shown.
const pictured = 10

// BenchmarkPictures measures the pictures of pages: how much longer the first of a document
// takes than the platform's own answer with its PDF (first-extra-ms), and the processor time
// of each later one, of the program and its workers (later-cpu-ms).
func BenchmarkPictures(b *testing.B) {
	t := newBench(b, signing...)
	alice := t.person(b).SignedIn("alice@sandbox")
	lines := make([]string, 40)
	for i := range lines {
		lines[i] = fmt.Sprintf("Section %d. The tenant pays the rent on the first day of each month.", i)
	}
	body, err := json.Marshal(map[string]any{"name": "Bench", "documents": []any{map[string]any{"id": "lease", "name": "Lease", "base64Content": base64.StdEncoding.EncodeToString(pdf.Text(lines...))}}})
	if err != nil {
		b.Fatal(err)
	}
	var extra, later []float64
	for b.Loop() {
		var ids []string
		for range pictured {
			ids = append(ids, alice.Send("POST", "/api/packages", string(body)).Want(http.StatusOK).Text("id"))
		}
		time.Sleep(3 * time.Second) //nolint:forbidigo // what is younger than two seconds by the platform's clock is not kept
		picture := func(id string) time.Duration {
			begun := time.Now()
			alice.Send("GET", "/packages/"+id+"/documents/lease/pages/1.png?width=800", nil).Want(http.StatusOK)
			return time.Since(begun)
		}
		picture(ids[0]) // the worker has started
		for _, id := range ids[1:] {
			begun := time.Now()
			alice.Send("GET", "/api/packages/"+id+"/documents/lease/pdf", nil).Want(http.StatusOK)
			own := time.Since(begun)
			extra = append(extra, float64(picture(id)-own)/1e6)
			before := cpuOfTree(b, t.Cmd.Process.Pid)
			picture(id)
			later = append(later, float64(cpuOfTree(b, t.Cmd.Process.Pid)-before)/1e6)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(extra), "first-extra-ms")
	b.ReportMetric(median(later), "later-cpu-ms")
}

// cpuOfTree returns the processor time of a process and its children.
func cpuOfTree(b *testing.B, pid int) time.Duration {
	b.Helper()
	total := cpuOf(b, pid)
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		b.Fatal(err)
	}
	for _, list := range lists {
		children, err := os.ReadFile(list)
		if err != nil {
			continue // a thread that has ended
		}
		for child := range strings.FieldsSeq(string(children)) {
			if id, err := strconv.Atoi(child); err == nil {
				total += cpuOfTree(b, id)
			}
		}
	}
	return total
}
