package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Source is where the value of a setting comes from.
type Source string

// The sources.
const (
	Default     Source = "default"
	Environment Source = "environment"
	File        Source = "file"
)

// Setting is one line of what `countersign config` prints.
type Setting struct {
	// Name is the full name of the variable.
	Name string
	// Value is the effective value: normalised, and in place of a secret no more
	// than the word that it is set.
	Value  string
	Source Source
}

// Redacted lists every setting in the order of Config, then those of the paths,
// without secrets.
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
	for _, name := range c.pathNames {
		list = append(list, Setting{Name: Prefix + name, Value: c.Paths[name], Source: c.source(name)})
	}
	return list
}

func (c Config) show(s setting, value reflect.Value) string {
	switch {
	case s.secret == "url":
		return withoutPassword(value.String())
	case s.fromFile():
		return c.presence(s, value.Len() > 0)
	}
	switch v := value.Interface().(type) {
	case time.Duration:
		return short(v)
	case []string:
		return strings.Join(v, ",")
	case []netip.Prefix:
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", ",")
	default:
		return fmt.Sprint(v)
	}
}

func (c Config) presence(s setting, set bool) string {
	switch {
	case set && c.unset(s.name):
		return "(made at start)"
	case set:
		return "(set)"
	case !c.unset(s.name) && (c.Identity.None && strings.HasPrefix(s.name, "IDENTITY_") || c.Signing.none && s.name == "SIGNING_API_KEY" || c.IDV.none && s.name == "IDV_TOKEN"):
		return none
	}
	return ""
}

// withoutPassword shows where a Redis is, but neither the password before the
// @ nor those that Sentinel's form has among its parameters.
func withoutPassword(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "(set)"
	}
	query := u.Query()
	for name := range query {
		if strings.Contains(strings.ToLower(name), "pass") {
			query.Set(name, "xxxxx")
		}
	}
	u.RawQuery = query.Encode()
	return u.Redacted()
}

// short is a duration as one writes it: 12h, not 12h0m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// setting is one setting as the tags of Config describe it.
type setting struct {
	name     string // without Prefix
	secret   string // "", "true" or "url"
	document bool
	index    []int
}

// sandbox reports whether it is one of the embedded platform.
func (s setting) sandbox() bool { return s.name == "SANDBOX" || strings.HasPrefix(s.name, "SANDBOX_") }

func (s setting) fromFile() bool { return s.secret != "" || s.document }

// settings are all settings, in the order of Config.
func settings() []setting { return group(reflect.TypeFor[Config](), "", nil) }

func group(of reflect.Type, prefix string, index []int) []setting {
	var list []setting
	for i := range of.NumField() {
		field := of.Field(i)
		at := append(slices.Clone(index), i)
		if inner, ok := field.Tag.Lookup("envPrefix"); ok {
			list = append(list, group(field.Type, prefix+inner, at)...)
		} else if name, ok := field.Tag.Lookup("env"); ok {
			document := field.Type == reflect.TypeFor[Document]()
			list = append(list, setting{prefix + name, field.Tag.Get("secret"), document, at})
		}
	}
	return list
}
