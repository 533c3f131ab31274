package archtest_test

import (
	"path"
	"strconv"
	"strings"
)

// house is the layers, top to bottom: a package may import what lies below it.
var house = [][]string{
	{"cmd"},
	{"internal/app"},
	{"web"},
	{"handlers", "signingproxy"},
	{"internal/request", "internal/signin"},
	{"internal/decoy"},
	{
		"internal/identity", "internal/signing", "internal/verification", "internal/access", "internal/idempotency",
		"internal/events", "internal/audit",
	},
	{"session", "internal/ceremony", "internal/upstream", "templates"},
	{"internal/ratelimit"},
	{"internal/redisdb", "internal/seal"},
	{"internal/fault", "internal/i18n", "internal/reqctx", "internal/uaf", "internal/pdf", "internal/config", "static"},
}

// ground is what packages of the lowest layer may import of each other.
var ground = map[string][]string{
	"internal/fault":     {"internal/uaf"},
	"internal/redisdb":   {"internal/fault"},
	"internal/ratelimit": {"internal/redisdb"},
}

// outbuildings stand beside the house: what each may import of ours. Nobody
// but cmd, tests and the other outbuildings named here imports them.
var outbuildings = map[string][]string{
	"internal/sandbox":       {"internal/sandbox", "internal/uaf"},
	"internal/authenticator": {"internal/authenticator", "internal/uaf"},
	"internal/conformance":   {"internal/authenticator", "internal/identity", "internal/upstream", "internal/ceremony", "internal/fault", "internal/uaf"},
	"internal/archtest":      {},
}

var layers = rule{
	name: "layers",
	why: "each package knows only what lies below it, so that a change stays where it belongs; the sandbox shares nothing " +
		"with us but UAF, so that a mistake of ours cannot cancel itself out there",
	check: func(files []file) []string {
		var found []string
		for _, f := range files {
			if !f.program() {
				continue
			}
			dir := path.Dir(f.path)
			for _, imported := range imports(f) {
				target, ours := strings.CutPrefix(imported.name, module+"/")
				if ours && !mayImport(dir, target) {
					found = append(found, finding(f, imported.line, "%s must not import %s", dir, target))
				}
			}
			if level(dir) < 0 && outbuilding(dir) == "" {
				found = append(found, finding(f, 1, "%s has no place in the house: give it a layer in archtest", dir))
			}
		}
		return found
	},
	breaks: [][]file{
		example("session/a.go", `package session; import "countersign/handlers"`),
		example("handlers/a.go", `package handlers; import "countersign/web"`),
		example("session/a.go", `package session; import "countersign/templates"`),
		example("internal/fault/a.go", `package fault; import "countersign/internal/i18n"`),
		example("internal/fault/a.go", `package fault; import "countersign/internal/redisdb"`),
		example("internal/redisdb/a.go", `package redisdb; import "countersign/internal/ratelimit"`),
		example("web/a.go", `package web; import "countersign/internal/sandbox"`),
		example("handlers/a.go", `package handlers; import "countersign/internal/sandbox/identity"`),
		example("internal/sandbox/identity/a.go", `package identity; import "countersign/internal/fault"`),
		example("internal/authenticator/a.go", `package authenticator; import "countersign/internal/ceremony"`),
		example("internal/identity/a.go", `package identity; import "countersign/internal/authenticator"`),
		example("web/a.go", `package web; import "countersign/cmd/countersign"`),
		example("cmd/countersign/a.go", `package main; import "countersign/internal/redisdb/redistest"`),
		example("utils/a.go", `package utils`),
		example("internal/sandboxes/a.go", `package sandboxes`),
	},
	keeps: example(
		"cmd/countersign/a.go", `package main; import ("countersign/web"; "countersign/internal/sandbox"; "countersign/internal/config")`,
		"web/a.go", `package web; import ("countersign/handlers"; "countersign/session"; "countersign/static"; "net/http")`,
		"web/a_test.go", `package web; import ("countersign/internal/sandbox"; "countersign/internal/redisdb/redistest")`,
		"session/sessiontest/a.go", `package sessiontest; import ("countersign/session"; "countersign/internal/redisdb/redistest")`,
		"handlers/a.go", `package handlers; import "countersign/internal/identity"`,
		"internal/ratelimit/a.go", `package ratelimit; import "countersign/internal/redisdb"`,
		"internal/redisdb/a.go", `package redisdb; import "countersign/internal/fault"`,
		"internal/sandbox/a.go", `package sandbox; import ("countersign/internal/sandbox/identity"; "countersign/internal/uaf")`,
	),
}

func mayImport(dir, target string) bool {
	if testSupport(target) {
		return false
	}
	if home := outbuilding(dir); home != "" {
		return within(target, outbuildings[home]...)
	}
	if outbuilding(target) != "" {
		return within(dir, "cmd", "internal/app")
	}
	return level(dir) < level(target) || within(target, dir) || within(target, ground[dir]...)
}

// level is the layer of dir, 0 at the top; -1 where it has none.
func level(dir string) int {
	for i, layer := range house {
		if within(dir, layer...) {
			return i
		}
	}
	return -1
}

func outbuilding(dir string) string {
	for home := range outbuildings {
		if within(dir, home) {
			return home
		}
	}
	return ""
}

// homes are the third-party libraries that only some packages may touch.
var homes = map[string][]string{
	"github.com/gin-gonic/gin": {"web", "handlers", "signingproxy", "internal/request"},
	"github.com/gorilla":       {"session"},
	"github.com/redis":         redisHomes,
	"github.com/go-redis":      redisHomes,
	"github.com/go-webauthn":   {"internal/ceremony", "internal/sandbox/identity", "internal/authenticator"},
}

var redisHomes = []string{
	"session", "internal/access", "internal/ratelimit", "internal/redisdb", "internal/idempotency", "internal/events", "internal/audit",
	"internal/decoy",
}

var confinement = rule{
	name: "third-party confinement",
	why: "a library has one home, so that its types do not become ours and the day it is replaced, one package changes; " +
		"Redis above all, because an outage is told from an absence only where it is spoken to",
	check: func(files []file) []string {
		var found []string
		for _, f := range files {
			if !f.program() {
				continue
			}
			for _, imported := range imports(f) {
				for library, dirs := range homes {
					if within(imported.name, library) && !f.in(dirs...) {
						found = append(found, finding(f, imported.line, "%s is at home in %s alone", library, strings.Join(dirs, ", ")))
					}
				}
			}
		}
		return found
	},
	breaks: [][]file{
		example("session/a.go", `package session; import "github.com/gin-gonic/gin"`),
		example("web/a.go", `package web; import "github.com/gin-gonic/gin/binding"; import "github.com/gorilla/sessions"`),
		example("handlers/a.go", `package handlers; import "github.com/redis/go-redis/v9"`),
		example("web/a.go", `package web; import "github.com/go-redis/redis_rate/v10"`),
		example("handlers/a.go", `package handlers; import "github.com/go-webauthn/webauthn/protocol"`),
		example("internal/sandbox/a.go", `package sandbox; import "github.com/go-webauthn/webauthn/webauthn"`),
	},
	keeps: example(
		"web/a.go", `package web; import ("github.com/gin-gonic/gin"; "github.com/gin-gonic/ginger")`,
		"cmd/countersign/a_test.go", `package main; import "github.com/redis/go-redis/v9"`,
		"internal/sandbox/identity/a.go", `package identity; import "github.com/go-webauthn/webauthn/webauthn"`,
	),
}

// imports are the paths that f imports.
func imports(f file) []use {
	var found []use
	for _, spec := range f.syntax.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			found = append(found, use{name, f.line(spec.Pos())})
		}
	}
	return found
}
