package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"

	"countersign/internal/apidoc"
	"countersign/internal/config"
	"countersign/internal/conformance"
)

// conformanceReport collects the results, and prints them unless it is quiet.
type conformanceReport struct {
	settings []config.Setting
	paths    config.Paths
	out      io.Writer
	quiet    bool

	exchanges           *apidoc.Report // nil without documents
	results             []conformance.Result
	ok, differ, leftOut int
	api                 string
}

func (r *conformanceReport) add(result conformance.Result) {
	r.results = append(r.results, result)
	word := "ok"
	switch {
	case len(result.Findings) > 0:
		r.differ++
		word = "differs"
	case result.LeftOut != "":
		r.leftOut++
		word = "left out"
	default:
		r.ok++
	}
	if !r.quiet {
		r.print(word, result)
	}
}

func (r *conformanceReport) print(word string, result conformance.Result) {
	if r.api != result.API {
		r.api = result.API
		fmt.Fprintf(r.out, "\n%s\n", result.API)
	}
	about := result.Case
	if result.Fact != "" {
		about += " (" + result.Fact + ")"
	}
	if result.LeftOut != "" {
		about += ": " + result.LeftOut
	}
	fmt.Fprintf(r.out, "  %-8s  %s\n", word, about)
	for _, finding := range result.Findings {
		fmt.Fprintf(r.out, "            - %s\n", strings.ReplaceAll(finding, "\n", " "))
	}
}

// settingChange is a setting that the results call for, next to its present value.
type settingChange struct {
	conformance.Setting
	// Set reports whether the setting already has the needed value; Now is its present
	// value.
	Set bool   `json:"set"`
	Now string `json:"now"`
}

func (r *conformanceReport) needed() []settingChange {
	var all []settingChange
	for _, s := range r.neededSettings() {
		one := settingChange{Setting: s}
		one.Name = config.Prefix + s.Name
		for _, set := range r.settings {
			if set.Name == one.Name {
				one.Now, one.Set = set.Value, set.Value == s.Value
			}
		}
		all = append(all, one)
	}
	return all
}

// neededSettings returns the settings that the results call for. All found paths go into one
// document of paths, together with the paths that are set already.
func (r *conformanceReport) neededSettings() []conformance.Setting {
	var all []conformance.Setting
	paths, why := maps.Clone(r.paths), ""
	for _, result := range r.results {
		for _, s := range result.Settings {
			if s.Name != conformance.PathsSetting {
				all = append(all, s)
				continue
			}
			if paths == nil {
				paths = config.Paths{}
			}
			operation, path, _ := strings.Cut(s.Value, ": ")
			paths[operation], why = path, s.Why
		}
	}
	if why != "" {
		all = append(all, conformance.Setting{Name: conformance.PathsSetting, Value: paths.String(), Why: why})
	}
	return all
}

// end prints what is left to print, and returns the exit status.
func (r *conformanceReport) end() int {
	judged, findings := 0, []apidoc.Finding(nil)
	if r.exchanges != nil {
		judged, findings = r.exchanges.Findings()
	}
	var err error
	if r.quiet {
		encoder := json.NewEncoder(r.out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(r.object(judged, findings))
	} else {
		r.finish(judged, findings)
	}
	if err != nil || r.differ > 0 || len(findings) > 0 {
		return 1
	}
	return 0
}

// finish prints what differs from the documents, the needed settings and the number of cases.
func (r *conformanceReport) finish(judged int, findings []apidoc.Finding) {
	if r.exchanges != nil {
		fmt.Fprint(r.out, "\nexchanges that differ from the documents\n")
		for _, f := range findings {
			example, _ := json.Marshal(f.Example)
			fmt.Fprintf(r.out, "  %s: %s: %s (%d times)\n            - for example %s\n", f.Operation, f.Side, f.Reason, f.Times, example)
		}
		fmt.Fprintf(r.out, "\nExchanges: %d. Kinds of differences: %d.\n", judged, len(findings))
	}
	if len(r.results) == 0 {
		return
	}
	fmt.Fprint(r.out, "\nsettings that follow\n")
	for _, s := range r.needed() {
		state := "as it is"
		if !s.Set {
			state = fmt.Sprintf("now %q", s.Now)
		}
		fmt.Fprintf(r.out, "  %s=%s  (%s: %s)\n", s.Name, s.Value, state, s.Why)
	}
	fmt.Fprintf(r.out, "\nCases: %d. As expected: %d. They differ: %d. Left out: %d.\n", len(r.results), r.ok, r.differ, r.leftOut)
}

// object returns the report that --json prints.
func (r *conformanceReport) object(judged int, findings []apidoc.Finding) any {
	return struct {
		Version   string               `json:"version"`
		Results   []conformance.Result `json:"results"`
		Settings  []settingChange      `json:"settings"`
		Exchanges int                  `json:"exchanges,omitzero"`
		Findings  []apidoc.Finding     `json:"findings,omitzero"`
		OK        int                  `json:"ok"`
		Differ    int                  `json:"differ"`
		LeftOut   int                  `json:"leftOut"`
	}{version(), r.results, r.needed(), judged, findings, r.ok, r.differ, r.leftOut}
}
