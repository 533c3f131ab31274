package reload_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"countersign/internal/certtest"
	"countersign/internal/config"
	"countersign/internal/logtest"
	"countersign/internal/reload"
)

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

const (
	one = "1a11111111111111111111111111111111111111111111111111111111111111"
	two = "2b22222222222222222222222222222222222222222222222222222222222222"
)

// pair returns a certificate that is good between two times, and its key.
func pair(t *testing.T, from, until time.Time) (certificate, key string) {
	t.Helper()
	return certtest.Pair(t, x509.Certificate{NotBefore: from, NotAfter: until, IsCA: true, BasicConstraintsValid: true})
}

func good(t *testing.T) (certificate, key string) {
	return pair(t, now.Add(-time.Hour), now.Add(90*24*time.Hour))
}

// stand is a program whose settings come from the files of a folder, each named as its setting.
type stand struct {
	*testing.T
	dir string
	*reload.Reloader
	log      logtest.Log
	config   config.Config // as applied
	applied  []string
	observed map[string]int
	fails    error // of Apply
}

func newStand(t *testing.T, files map[string]string) *stand {
	s := &stand{T: t, dir: t.TempDir(), observed: map[string]int{}}
	environ := []string{
		"COUNTERSIGN_PLATFORM_URL=https://platform.example", "COUNTERSIGN_PUBLIC_ORIGIN=https://sign.example", "COUNTERSIGN_ACCESS_KEYS=" + one,
		"COUNTERSIGN_SIGNING_CALLBACK_KEY=k", "COUNTERSIGN_IDV_CALLBACK_KEY=k",
		"COUNTERSIGN_IDV_WORKFLOWS=0b5d9f6e-2c3a-4f1d-9a7e-3c2b1a0f9e8d", "COUNTERSIGN_IDV_BRANDS=0b5d9f6e-2c3a-4f1d-9a7e-3c2b1a0f9e8d", "COUNTERSIGN_IDV_TENANT=t",
	}
	all := map[string]string{"REDIS_URL": "rediss://:pass@redis.example", "SESSION_KEYS": one, "DECOY_KEY": one, "IDENTITY_AUTHORIZATION": "Bearer old"}
	maps.Copy(all, files)
	for name, text := range all {
		s.write(name, text)
		environ = append(environ, "COUNTERSIGN_"+name+"_FILE="+s.path(name))
	}
	environ = slices.DeleteFunc(environ, func(v string) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(v, "COUNTERSIGN_"), "=")
		return all[name] != ""
	})
	c, err := config.Load(environ, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	s.config = c
	s.Reloader = reload.New(reload.Options{
		Config: c, Logger: slog.New(slog.NewTextHandler(&s.log, nil)), Now: func() time.Time { return now },
		Apply: func(next config.Config, names []string) error {
			if s.fails == nil {
				s.config, s.applied = next, append(s.applied, names...)
			}
			return s.fails
		},
		Observe: func(setting, result string) { s.observed[setting+" "+result]++ },
	})
	return s
}

func (s *stand) path(name string) string { return filepath.Join(s.dir, name) }

func (s *stand) write(name, text string) {
	s.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *stand) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// settle looks as often as a change needs.
func (s *stand) settle() { s.Look(false); s.Look(false) }

// However a file changes, its new content is accepted, and counted.
func TestReload_ChangedFileTaken(t *testing.T) {
	t.Parallel()
	certificate, key := good(t)
	nextCertificate, nextKey := good(t)
	authorization := func(c config.Config) string { return c.Identity.Authorization }
	for _, tt := range []struct {
		name, before, after string
		read                func(config.Config) string
		want                string
	}{
		{"IDENTITY_AUTHORIZATION", "Bearer old", "Bearer new\n", authorization, "Bearer new"},
		{"SESSION_KEYS", one, two + "," + one, func(c config.Config) string { return fmt.Sprintf("%x", c.Session.Keys) }, "[" + two + " " + one + "]"},
		{"ACCESS_KEYS", one, one + ",\n" + two, func(c config.Config) string { return fmt.Sprintf("%x", c.AccessKeys) }, "[" + one + " " + two + "]"},
		{"REDIS_URL", "rediss://:old@redis.example", "rediss://:new@redis.example", func(c config.Config) string { return c.Redis.URL }, "rediss://:new@redis.example"},
		{"REDIS_CA", certificate, nextCertificate, func(c config.Config) string { return string(c.Redis.CA) }, strings.TrimSuffix(nextCertificate, "\n")},
		{"IDENTITY_CA", certificate, nextCertificate, func(c config.Config) string { return string(c.Identity.CA) }, strings.TrimSuffix(nextCertificate, "\n")},
		{"SIGNING_API_KEY", "old", "new", func(c config.Config) string { return c.Signing.Service().Authorization }, "Basic new"},
		{"SIGNING_API_KEY", "old", "new\r\n", func(c config.Config) string { return c.Signing.Service().Authorization }, "Basic new"},
		{"SIGNING_CA", certificate, "a note\r\n" + strings.ReplaceAll(nextCertificate, "\n", "\r\n"), func(c config.Config) string {
			return fmt.Sprint(len(c.Certificates()), strings.Count(string(c.Signing.CA), "\r"))
		}, fmt.Sprint(1, strings.Count(nextCertificate, "\n"))},
		{"SIGNING_CALLBACK_KEY", "old", "new", func(c config.Config) string { return c.Signing.CallbackKey }, "new"},
		{"IDV_TOKEN", "old", "new", func(c config.Config) string { return c.IDV.Service().Authorization }, "Bearer new"},
		{"IDV_TENANT", "old", "new", func(c config.Config) string { return c.IDV.Tenant }, "new"},
		{"IDV_CALLBACK_KEY", "old", "new", func(c config.Config) string { return c.IDV.CallbackKey }, "new"},
		{"SMTP_URL", "smtp://u:old@mail.example", "smtp://u:new@mail.example", func(c config.Config) string { return c.SMTP.URL }, "smtp://u:new@mail.example"},
		{"OPERATORS", "carol@acme.com\n", "# who helps\n\ncarol@acme.com\r\n  Dave@acme.com # since May\n", func(c config.Config) string { return strings.Join(c.Operators, " ") }, "carol@acme.com dave@acme.com"},
	} {
		for how, change := range map[string]func(s *stand){
			"an edit":  func(s *stand) { s.write(tt.name, tt.after) },
			"a rename": func(s *stand) { s.write("new", tt.after); s.must(os.Rename(s.path("new"), s.path(tt.name))) },
			"a link": func(s *stand) {
				s.write("..new", tt.after)
				s.must(os.Symlink("..new", s.path("..link")))
				s.must(os.Rename(s.path("..link"), s.path(tt.name)))
			},
		} {
			s := newStand(t, map[string]string{tt.name: tt.before})
			s.settle()
			change(s)
			s.Look(false)
			if len(s.applied) != 0 {
				t.Errorf("%s, %s: accepted at the first look", tt.name, how)
			}
			s.Look(false)
			s.settle()
			if got := tt.read(s.config); got != tt.want || len(s.applied) != 1 || s.observed["COUNTERSIGN_"+tt.name+" accepted"] != 1 || len(s.observed) != 1 {
				t.Errorf("%s, %s: %q, want %q; applied %q, observed %v, log %s", tt.name, how, got, tt.want, s.applied, s.observed, s.log.String())
			}
		}
	}
	s := newStand(t, map[string]string{"IDENTITY_CLIENT_CERT": certificate, "IDENTITY_CLIENT_KEY": key})
	s.write("IDENTITY_CLIENT_CERT", nextCertificate)
	s.write("IDENTITY_CLIENT_KEY", nextKey)
	s.Look(true)
	if strings.TrimSpace(string(s.config.Identity.ClientKey)) != strings.TrimSpace(nextKey) || len(s.config.Identity.TLS().Certificates) != 1 || len(s.observed) != 2 {
		t.Errorf("a pair, at once: observed %v, log %s", s.observed, s.log.String())
	}
	if got := s.Certificates(); len(got) != 1 || got[0].Name != "IDENTITY_CLIENT_CERT" || !got[0].Until.Equal(now.Add(90*24*time.Hour)) {
		t.Errorf("certificates %+v", got)
	}
}

// What cannot be used changes nothing, is logged and counted once, without a secret, and what
// is good afterwards is accepted.
func TestReload_InvalidValueChangesNothing(t *testing.T) {
	t.Parallel()
	certificate, key := good(t)
	_, otherKey := good(t)
	expired, expiredKey := pair(t, now.Add(-time.Hour), now)
	future, futureKey := pair(t, now.Add(time.Second), now.Add(time.Hour))
	for _, tt := range []struct {
		name  string
		files map[string]string // their new contents; - for none, / for a folder, -> for a link to nothing
	}{
		{"an empty file", map[string]string{"SESSION_KEYS": ""}},
		{"a line break alone", map[string]string{"IDENTITY_AUTHORIZATION": "\n"}},
		{"no key", map[string]string{"SESSION_KEYS": "hidden"}},
		{"a key that is twice there", map[string]string{"SESSION_KEYS": one + "," + one}},
		{"a removed file", map[string]string{"SESSION_KEYS": "-"}},
		{"a header of two lines", map[string]string{"IDENTITY_AUTHORIZATION": "Bearer hidden\nhidden"}},
		{"quotation marks", map[string]string{"IDENTITY_AUTHORIZATION": `"hidden"`}},
		{"no URL", map[string]string{"REDIS_URL": ":hidden"}},
		{"no certificate", map[string]string{"IDENTITY_CA": "hidden"}},
		{"a key for another certificate", map[string]string{"IDENTITY_CLIENT_KEY": otherKey}},
		{"a certificate that has expired", map[string]string{"IDENTITY_CLIENT_CERT": expired, "IDENTITY_CLIENT_KEY": expiredKey}},
		{"a certificate before its time", map[string]string{"IDENTITY_CLIENT_CERT": future, "IDENTITY_CLIENT_KEY": futureKey}},
		{"an authority that has expired", map[string]string{"IDENTITY_CA": expired}},
		{"a chain whose second half is not written yet", map[string]string{"IDENTITY_CLIENT_CERT": certificate + expired[:len(expired)/2]}},
		{"authorities of which the last is cut off", map[string]string{"IDENTITY_CA": certificate + expired[:len(expired)-9]}},
		{"authorities of which the last only begins", map[string]string{"IDENTITY_CA": certificate + "-----BEG"}},
		{"authorities of which the first is damaged", map[string]string{"IDENTITY_CA": strings.Replace(expired, "M", "*", 1) + certificate}},
		{"authorities behind a byte order mark", map[string]string{"IDENTITY_CA": "\ufeff" + expired + certificate}},
		{"a key behind a byte order mark", map[string]string{"SIGNING_API_KEY": "\ufeffhidden\r\n"}},
		{"a key in UTF-16", map[string]string{"SIGNING_API_KEY": "\xff\xfeh\x00i\x00d\x00"}},
		{"bytes that are not written yet", map[string]string{"IDENTITY_AUTHORIZATION": "Bearer \x00\x00"}},
		{"a page of an error", map[string]string{"SIGNING_API_KEY": "<html>\n<p>hidden</p></html>\n"}},
		{"a folder", map[string]string{"SESSION_KEYS": "/"}},
		{"a link that leads nowhere", map[string]string{"SESSION_KEYS": "->"}},
		{"a second key that is not whole", map[string]string{"SESSION_KEYS": one + "," + two[:40]}},
		{"half a certificate", map[string]string{"IDENTITY_CLIENT_CERT": certificate[:len(certificate)/2]}},
		{"nobody", map[string]string{"OPERATORS": "# nobody\n\n"}},
		{"a user without a domain", map[string]string{"OPERATORS": "carol\n"}},
		{"too much", map[string]string{"OPERATORS": strings.Repeat("#\n", 1<<20)}},
	} {
		s := newStand(t, map[string]string{
			"IDENTITY_CLIENT_CERT": certificate, "IDENTITY_CLIENT_KEY": key, "IDENTITY_CA": certificate, "OPERATORS": "carol@acme.com", "SIGNING_API_KEY": "old",
		})
		for name, text := range tt.files {
			s.must(os.Remove(s.path(name)))
			switch text {
			case "-":
			case "/":
				s.must(os.Mkdir(s.path(name), 0o700))
			case "->":
				s.must(os.Symlink("nowhere", s.path(name)))
			default:
				s.write(name, text)
			}
		}
		for range 3 {
			s.settle()
			s.Look(true)
		}
		for name := range tt.files {
			if s.observed["COUNTERSIGN_"+name+" refused"] != 1 {
				t.Errorf("%s: observed %v", tt.name, s.observed)
			}
		}
		if len(s.applied) != 0 || len(s.observed) != len(tt.files) || strings.Count(s.log.String(), "level=ERROR") != 1 || strings.Count(s.log.String(), "\n") != 1 {
			t.Errorf("%s: applied %q, observed %v, log %s", tt.name, s.applied, s.observed, s.log.String())
		}
		for _, hidden := range []string{"hidden", one, s.dir, "PRIVATE"} {
			if strings.Contains(s.log.String(), hidden) {
				t.Errorf("%s: the log tells %q: %s", tt.name, hidden, s.log.String())
			}
		}
		_ = os.Remove(s.path("SESSION_KEYS"))
		s.write("SESSION_KEYS", two)
		if s.settle(); len(s.config.Session.Keys) != 1 || s.config.Session.Keys[0][0] != 0x2b {
			t.Errorf("%s: another setting is not read any more", tt.name)
		}
	}
}

// A pair that arrives file by file is accepted once both match, and each later mistake is logged.
func TestReload_PairTakenTogether(t *testing.T) {
	t.Parallel()
	certificate, key := good(t)
	nextCertificate, nextKey := good(t)
	s := newStand(t, map[string]string{"REDIS_CLIENT_CERT": certificate, "REDIS_CLIENT_KEY": key})
	s.write("REDIS_CLIENT_CERT", nextCertificate)
	s.settle()
	s.write("REDIS_CLIENT_KEY", nextKey)
	s.settle()
	if got := strings.Join(s.applied, " "); got != "REDIS_CLIENT_CERT REDIS_CLIENT_KEY" || s.observed["COUNTERSIGN_REDIS_CLIENT_CERT refused"] != 1 || s.observed["COUNTERSIGN_REDIS_CLIENT_CERT accepted"] != 1 {
		t.Errorf("applied %q, observed %v", got, s.observed)
	}
	s.write("REDIS_CLIENT_CERT", certificate)
	s.settle()
	s.write("REDIS_CLIENT_CERT", nextCertificate)
	s.settle()
	s.write("REDIS_CLIENT_CERT", certificate)
	s.settle()
	if len(s.applied) != 2 || s.observed["COUNTERSIGN_REDIS_CLIENT_CERT refused"] != 3 {
		t.Errorf("applied %q, observed %v", s.applied, s.observed)
	}
}

// A file that is being written is not accepted before it is whole.
func TestReload_PartlyWrittenFileWaits(t *testing.T) {
	t.Parallel()
	s := newStand(t, nil)
	for _, text := range []string{"", "Bearer n", "Bearer ne", "Bearer new"} {
		s.write("IDENTITY_AUTHORIZATION", text)
		s.Look(false)
	}
	if len(s.applied) != 0 || s.log.String() != "" {
		t.Errorf("applied %q while it was written, log %s", s.applied, s.log.String())
	}
	if s.Look(false); s.config.Identity.Authorization != "Bearer new" {
		t.Errorf("then %q", s.config.Identity.Authorization)
	}
}

// What the program cannot put to use is refused like a value that is wrong, and tried again.
func TestApply_RefusedValueTriedAgain(t *testing.T) {
	t.Parallel()
	s := newStand(t, nil)
	s.fails = errors.New("names another Redis")
	s.write("REDIS_URL", "rediss://:pass@other.example")
	s.settle()
	s.settle()
	if s.observed["COUNTERSIGN_REDIS_URL refused"] != 1 || !strings.Contains(s.log.String(), "names another Redis") {
		t.Errorf("observed %v, log %s", s.observed, s.log.String())
	}
	s.fails = nil
	if s.settle(); s.config.Redis.URL != "rediss://:pass@other.example" {
		t.Errorf("not tried again: %q", s.config.Redis.URL)
	}
}

// The decoy key, what came from no file and what came from a pipe stay.
func TestReload_FixedValuesStay(t *testing.T) {
	t.Parallel()
	s := newStand(t, nil)
	s.write("DECOY_KEY", two)
	s.settle()
	s.Look(true)
	if len(s.applied) != 0 || s.log.String() != "" {
		t.Errorf("applied %q, log %s", s.applied, s.log.String())
	}
	if got := strings.Join(s.Settings(), " "); got != "COUNTERSIGN_IDENTITY_AUTHORIZATION COUNTERSIGN_REDIS_URL COUNTERSIGN_SESSION_KEYS" {
		t.Errorf("read again: %s", got)
	}
	device, err := config.Load([]string{"COUNTERSIGN_SESSION_KEYS_FILE=" + os.DevNull}, func(string) ([]byte, error) { return []byte(one), nil })
	s.must(err)
	if got := reload.New(reload.Options{Config: device}).Settings(); got != nil {
		t.Errorf("of a device: %q", got)
	}
}

// A change is accepted within ten seconds, and at once when it is asked for.
func TestRun_TakesChangesInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.Reloader.Run(ctx)
		s.write("IDENTITY_AUTHORIZATION", "Bearer new")
		<-time.After(2*reload.Interval + 1)
		synctest.Wait()
		if s.config.Identity.Authorization != "Bearer new" || 2*reload.Interval > 10*time.Second {
			t.Errorf("after two looks %q", s.config.Identity.Authorization)
		}
		s.write("IDENTITY_AUTHORIZATION", "Bearer newest")
		s.Wake()
		s.Wake()
		synctest.Wait()
		if s.config.Identity.Authorization != "Bearer newest" {
			t.Errorf("asked for, %q", s.config.Identity.Authorization)
		}
		cancel()
		synctest.Wait()
	})
}
