package config

import (
	"reflect"
	"slices"
	"strings"
)

// Source says where a setting's value comes from.
type Source string

// The sources.
const (
	Default     Source = "default"
	Environment Source = "environment"
	File        Source = "file"
)

// Setting is one line of the output of `countersign config`.
type Setting struct {
	// Name is the full name of the variable.
	Name string
	// Value is the effective value, normalised; for a secret it only says that it is set.
	Value  string
	Source Source
}

// Redacted lists every setting in the order of Config, without secrets.
func (c Config) Redacted() []Setting {
	var list []Setting
	value := reflect.ValueOf(c)
	for _, s := range settings() {
		list = append(list, Setting{
			Name:   Prefix + s.name,
			Value:  c.show(s, value.FieldByIndex(s.index)),
			Source: c.source(s.name),
		})
	}
	return list
}

// setting describes a setting, from the tags of Config.
type setting struct {
	name     string // without Prefix
	secret   string // "", "true" or "url"
	document bool
	lines    bool     // in a file: one entry a line
	rule     string   // the name of what checks it, or ""
	words    []string // the values that it may have; none for any
	index    []int
}

// sandbox reports whether the setting belongs to the embedded platform.
func (s setting) sandbox() bool { return s.name == "SANDBOX" || strings.HasPrefix(s.name, "SANDBOX_") }

func (s setting) fromFile() bool { return s.secret != "" || s.document || s.lines }

// settings returns all settings, in the order of Config.
func settings() []setting { return group(reflect.TypeFor[Config](), "", nil) }

func group(of reflect.Type, prefix string, index []int) []setting {
	var list []setting
	for i := range of.NumField() {
		field := of.Field(i)
		at := append(slices.Clone(index), i)
		if inner, ok := field.Tag.Lookup("envPrefix"); ok {
			list = append(list, group(field.Type, prefix+inner, at)...)
		} else if name, ok := field.Tag.Lookup("env"); ok {
			document := field.Type == reflect.TypeFor[Document]() || field.Type == reflect.TypeFor[Paths]()
			s := setting{name: prefix + name, secret: field.Tag.Get("secret"), document: document, lines: field.Tag.Get("file") == "lines", rule: field.Tag.Get("rule"), index: at}
			if words := field.Tag.Get("oneOf"); words != "" {
				s.words = strings.Split(words, ",")
			}
			list = append(list, s)
		}
	}
	return list
}
