package config

import (
	"crypto/x509"
	"encoding/pem"
	"maps"
	"slices"
	"strings"
	"time"
)

// loadInput is what Load was given.
type loadInput struct {
	given      map[string]string
	operations []Path
	files      map[string]ContentFile // by setting
}

// ContentFile is a file that a setting came from, and what it held.
type ContentFile struct {
	// Name is the setting's, without Prefix.
	Name, Path string
	Content    []byte
}

// Renewable returns the files whose settings may change while the program runs, in groups that
// are taken together, such as a certificate and its key: the secrets, certificates and people
// of all settings but DECOY_KEY, which must not change, and those of the sandbox.
func (c Config) Renewable() [][]ContentFile {
	groups := map[string][]ContentFile{}
	for _, s := range settings() {
		f, ok := c.loaded.files[s.name]
		if !ok || s.sandbox() || s.name == "DECOY_KEY" || s.name == "PLATFORM_PATHS" {
			continue
		}
		group := strings.TrimSuffix(strings.TrimSuffix(s.name, "_CERT"), "_KEY")
		groups[group] = append(groups[group], f)
	}
	var all [][]ContentFile
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		all = append(all, groups[group])
	}
	return all
}

// Reload returns c with other contents of the files of some settings, by their name without
// Prefix. It checks all settings as Load does, whose error it returns.
func (c Config) Reload(contents map[string][]byte) (Config, error) {
	held := map[string][]byte{}
	for name, f := range c.loaded.files {
		held[name] = f.Content
	}
	maps.Copy(held, contents)
	return (&loader{given: c.loaded.given, contents: held}).load(c.loaded.operations)
}

// Certificate is the time for which the certificates of a setting are good.
type Certificate struct {
	// Name is the setting's, without Prefix.
	Name        string
	From, Until time.Time
}

// Certificates returns the certificates of all settings: those that are shown, all of which
// must be good, and the authorities that are trusted, one of which must be.
func (c Config) Certificates() (all []Certificate) {
	for _, d := range []struct {
		name      string
		text      Document
		authority bool
	}{
		{"IDENTITY_CLIENT_CERT", c.Identity.ClientCert, false},
		{"IDENTITY_CA", c.Identity.CA, true},
		{"IDV_CA", c.IDV.CA, true},
		{"REDIS_CLIENT_CERT", c.Redis.ClientCert, false},
		{"REDIS_CA", c.Redis.CA, true},
		{"SIGNING_CA", c.Signing.CA, true},
		{"SMTP_CA", c.SMTP.CA, true},
	} {
		if found := certificatesIn(d.text); len(found) > 0 {
			byBegin := func(a, b *x509.Certificate) int { return a.NotBefore.Compare(b.NotBefore) }
			byEnd := func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) }
			first, last := slices.MaxFunc(found, byBegin).NotBefore, slices.MinFunc(found, byEnd).NotAfter
			if d.authority {
				first, last = slices.MinFunc(found, byBegin).NotBefore, slices.MaxFunc(found, byEnd).NotAfter
			}
			all = append(all, Certificate{d.name, first, last})
		}
	}
	return all
}

func certificatesIn(text Document) (all []*x509.Certificate) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if cert, err := x509.ParseCertificate(block.Bytes); err == nil && block.Type == "CERTIFICATE" {
			all = append(all, cert)
		}
	}
	return all
}
