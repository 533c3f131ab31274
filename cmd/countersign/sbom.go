package main

import (
	"context"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// bill is a bill of materials in CycloneDX 1.6 (JSON).
type bill struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"`
	Metadata struct {
		Component part `json:"component"`
	} `json:"metadata"`
	Components []part `json:"components"`
}

// part is one component of the bill: the program, or a module in it.
type part struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"` // hexadecimal
}

// sbom prints the bill of materials, from what the linker recorded in the program, or in the
// file of one for another system.
func (c command) sbom(_ context.Context, args []string) int {
	if len(args) > 1 {
		fmt.Fprintf(c.stderr, "countersign sbom: unknown arguments %q\n", args[1:])
		return 2
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return c.fail(errors.New("the program was built without its build information"))
	}
	if len(args) == 1 {
		var err error
		if build, err = buildinfo.ReadFile(args[0]); err != nil {
			return c.fail(err)
		}
	}
	out := json.NewEncoder(c.stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(billOf(build)); err != nil {
		return c.fail(err)
	}
	return 0
}

func billOf(build *debug.BuildInfo) bill {
	b := bill{Format: "CycloneDX", Spec: "1.6", Version: 1}
	b.Metadata.Component = newPart("application", "countersign", version(), "")
	b.Components = []part{newPart("library", "std", build.GoVersion, "")}
	for _, module := range build.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		b.Components = append(b.Components, newPart("library", module.Path, module.Version, module.Sum))
	}
	return b
}

// newPart returns a component with its package URL. sum is the module's line in go.sum.
func newPart(kind, name, version, sum string) part {
	purl := "pkg:golang/" + name + "@" + strings.ReplaceAll(version, "+", "%2B")
	p := part{Type: kind, Ref: purl, Name: name, Version: version, PURL: purl}
	if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:")); err == nil && len(raw) > 0 {
		p.Hashes = []hash{{"SHA-256", hex.EncodeToString(raw)}}
	}
	return p
}
