package image_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// image is what matters of the configuration of an image.
type image struct {
	User         string
	Env          []string
	Entrypoint   []string
	ExposedPorts map[string]struct{}
	Volumes      map[string]struct{}
	Healthcheck  struct {
		Test                           []string
		Interval, Timeout, StartPeriod time.Duration
		Retries                        int
	}
}

// sameAs checks the configuration, of which a builder may have more variables.
func (i image) sameAs(t *testing.T, want image) {
	t.Helper()
	i.Env = slices.DeleteFunc(slices.Clone(i.Env), func(one string) bool { return !strings.HasPrefix(one, "COUNTERSIGN_") })
	if diff := cmp.Diff(want, i); diff != "" {
		t.Errorf("the image is configured otherwise than the Dockerfile says (-want +got):\n%s", diff)
	}
}

// dockerfile returns the configuration in the Dockerfile.
func dockerfile(t *testing.T) image {
	t.Helper()
	text := string(read(t, filepath.Join(repository, "Dockerfile")))
	text = text[strings.LastIndex(text, "\nFROM "):]
	value := func(pattern string) string {
		found := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("the Dockerfile has no %s", pattern)
		}
		return found[1]
	}
	list := func(text string) (all []string) {
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	duration := func(name string) time.Duration {
		d, err := time.ParseDuration(value(`--` + name + `=(\S+)`))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	i := image{
		User: value(`\nUSER (\S+)`), Env: settingsOf(t), Entrypoint: list(value(`\nENTRYPOINT (.+)`)),
		ExposedPorts: map[string]struct{}{value(`\nEXPOSE (\S+)`) + "/tcp": {}}, Volumes: map[string]struct{}{value(`\nVOLUME (\S+)`): {}},
	}
	i.Healthcheck.Test = append([]string{"CMD"}, list(value(`\nHEALTHCHECK .* CMD (.+)`))...)
	i.Healthcheck.Interval, i.Healthcheck.Timeout, i.Healthcheck.StartPeriod = duration("interval"), duration("timeout"), duration("start-period")
	i.Healthcheck.Retries, _ = strconv.Atoi(value(`--retries=(\d+)`)) // digits
	return i
}
