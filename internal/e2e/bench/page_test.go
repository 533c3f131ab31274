package bench_test

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"text/template"
)

// docs/benchmarks.md has the figures of one run of all benchmarks, which make bench writes.

//go:embed testdata/benchmarks.md.tmpl
var pageTemplate string

// output is what the flag names: the output of all benchmarks, to write the page from.
var output = flag.String("output", "", "write docs/benchmarks.md from the output of all benchmarks in this file")

// figures are the metrics of a run, by benchmark (without "Benchmark" and the number of
// processors) and unit.
type figures map[string]map[string]float64

var nameOfBenchmark = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// readFigures reads the lines of results in the output of go test -bench.
func readFigures(output string) figures {
	f := figures{}
	for line := range strings.Lines(output) {
		found := nameOfBenchmark.FindStringSubmatch(strings.TrimSpace(line))
		if found == nil {
			continue
		}
		metrics := map[string]float64{}
		fields := strings.Fields(found[2])
		for i := 0; i+1 < len(fields); i += 2 {
			if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
				metrics[fields[i+1]] = value
			}
		}
		f[found[1]] = metrics
	}
	return f
}

// page returns docs/benchmarks.md. What was not measured is a dash.
func (f figures) page(machine, software string) (string, error) {
	var out bytes.Buffer
	page, err := template.New("").Funcs(template.FuncMap{
		"machine":  func() string { return machine },
		"software": func() string { return software },
		"value":    f.value,
		"duel":     f.duel,
		"times":    f.times,
		"least":    f.least,
		"most":     f.most,
	}).Parse(pageTemplate)
	if err == nil {
		err = page.Execute(&out, nil)
	}
	return out.String(), err
}

// value returns a metric; 0 for one that was not measured.
func (f figures) value(name, unit string) float64 { return f[name][unit] }

// times returns a ratio with its error.
func (f figures) times(name, unit string) string {
	value, deviation := f.value(name, unit), f.value(name, strings.TrimSuffix(unit, "-ratio")+"-error")
	switch {
	case value == 0:
		return "-"
	case deviation == 0:
		return fmt.Sprintf("%.2f", value)
	}
	return fmt.Sprintf("%.2f ± %.2f", value, max(deviation, 0.005))
}

// least and most return two cells: a metric, and whether it keeps a budget.
func (f figures) least(budget float64, name, unit, of string) string {
	return f.judged(name, unit, of, f.value(name, unit) >= budget)
}

func (f figures) most(budget float64, name, unit, of string) string {
	return f.judged(name, unit, of, f.value(name, unit) <= budget)
}

func (f figures) judged(name, unit, of string, met bool) string {
	value := f.value(name, unit)
	switch {
	case value == 0:
		return "- |"
	case of == "":
		return f.times(name, unit) + " | " + verdict(met)
	}
	return strconv.FormatFloat(value, 'f', precision(value), 64) + of + " | " + verdict(met)
}

// precision shows small figures with a decimal.
func precision(value float64) int {
	if value < 10 {
		return 1
	}
	return 0
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "**missed**"
}

// duel returns the row of a benchmark of requests.
func (f figures) duel(what, name string, budget float64) string {
	busy, alone := name+"/connections=16", name+"/connections=1"
	added := "-"
	if ours, bare := f.value(alone, "ours/s"), f.value(alone, "bare/s"); ours > 0 && bare > 0 {
		added = fmt.Sprintf("%.2f ms", 1000/ours-1000/bare)
	}
	return fmt.Sprintf("| %s | %.0f | %.0f | %s | %.2f | %s | %.2f | %s |\n", what,
		f.value(busy, "ours/s"), f.value(busy, "bare/s"), f.times(busy, "rate-ratio"), budget,
		verdict(f.value(busy, "rate-ratio") >= budget), f.value(busy, "p99-ratio"), added)
}

// The page is written from the file of the flag, and says of each figure whether it keeps its
// budget.
func TestPage_FromOutput(t *testing.T) {
	if *output != "" {
		text, err := os.ReadFile(*output)
		if err != nil {
			t.Fatal(err)
		}
		writePage(t, readFigures(string(text)))
		return
	}
	page, err := readFigures(`BenchmarkStart/production-2   	       1	        47.26 idle-MiB	        56.40 start-ms
BenchmarkRelayedGet/connections=1-2  	       1	      1000 ours/s	      2000 bare/s
BenchmarkRelayedGet/connections=16-2 	       1	      6079 bare/s	      4338 ours/s	         1.192 p99-ratio	         0.006824 rate-error	         0.8517 rate-ratio
`).page("2 cores", "Go")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		"| relayed GET | 4338 | 6079 | 0.85 ± 0.01 | 0.77 | met | 1.19 | 0.50 ms |\n| the same",
		"| start to the first page, production | 50 ms | 56 ms | **missed** |\n",
		"| the same with the sandbox | 50 ms | - | |\n",
	} {
		if !strings.Contains(page, row) {
			t.Errorf("the page lacks %q:\n%s", row, page)
		}
	}
}

func writePage(t *testing.T, f figures) {
	t.Helper()
	machine := fmt.Sprintf("%d cores, %s", runtime.NumCPU(), processor())
	software := "Go " + strings.TrimPrefix(runtime.Version(), "go")
	if redis, err := exec.CommandContext(context.Background(), "redis-server", "--version").Output(); err == nil {
		software += ", Redis " + strings.TrimPrefix(strings.Fields(string(redis))[2], "v=")
	}
	page, err := f.page(machine, software)
	if err == nil {
		err = os.WriteFile("../../../docs/benchmarks.md", []byte(page), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// processor returns the processor's name.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := strings.Cut(string(text), "model name")
	name, _, _ := strings.Cut(rest, "\n")
	return cmp.Or(strings.Trim(name, "\t :"), runtime.GOARCH)
}
