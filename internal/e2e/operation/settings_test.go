package operation_test

import (
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/config"
)

// service is the relevant part of a service in a compose file.
type service struct {
	Extends     struct{ File, Service string }
	EnvFile     []string `yaml:"env_file"`
	Environment map[string]string
	StopGrace   string `yaml:"stop_grace_period"`
	Volumes     []string
	Image       string
}

type composition struct {
	Services map[string]service
	Networks map[string]any
	Volumes  map[string]any
}

func TestCompose_StartsProduction(t *testing.T) {
	common := parse[composition](t, read(t, "compose/common.yaml")).Services["countersign"]
	base := environment(read(t, "compose/"+common.EnvFile[0]))
	maps.Copy(base, common.Environment)
	for mode, services := range map[string]int{"single": 2, "sentinel": 7, "cluster": 8} {
		t.Run(mode, func(t *testing.T) {
			file := parse[composition](t, read(t, "compose/"+mode+".yaml"))
			environ := maps.Clone(base)
			maps.Copy(environ, file.Services["countersign"].Environment)
			settings := checkSettings(t, environ)
			if settings.Redis.Mode != mode || len(file.Services) != services {
				t.Errorf("mode %s with %d services", settings.Redis.Mode, len(file.Services))
			}
			arrive(t, environ, folders(common.Volumes))
			for name := range hosts(settings.Redis.URL) {
				if _, there := file.Services[name]; !there {
					t.Errorf("Redis is sought at %s, which is no service", name)
				}
			}
			grace, err := time.ParseDuration(common.StopGrace)
			checkGrace(t, settings, grace, err)
		})
	}
}

// arrive checks that the file of every setting is in one of folders, which are mounted as a
// whole, so that a change of the file arrives.
func arrive(t *testing.T, environ map[string]string, folders []string) {
	t.Helper()
	files := 0
	for name, file := range environ {
		if strings.HasSuffix(name, "_FILE") {
			if files++; !slices.Contains(folders, path.Dir(file)) {
				t.Errorf("%s is %s, in none of %q", name, file, folders)
			}
		}
	}
	if files < 4 {
		t.Errorf("%d files", files)
	}
}

// folders returns where volumes of Compose are mounted.
func folders(volumes []string) (mounted []string) {
	for _, volume := range volumes {
		if parts := strings.Split(strings.TrimSuffix(volume, ":ro"), ":"); len(parts) == 2 {
			mounted = append(mounted, parts[1])
		}
	}
	return mounted
}

// hosts returns the hosts in a Redis URL.
func hosts(url string) map[string]bool {
	found := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?://|addr=)([a-z0-9-]+):`).FindAllStringSubmatch(url, -1) {
		found[match[1]] = true
	}
	return found
}

// checkGrace checks that the orchestrator grants more time than the program needs to end.
func checkGrace(t *testing.T, settings config.Config, grace time.Duration, err error) {
	t.Helper()
	if needs := time.Duration(settings.DrainDelay) + settings.DrainTimeout; err != nil || grace < needs+5*time.Second {
		t.Errorf("%v to end in, and draining takes %v: %v", grace, needs, err)
	}
}

// environment parses lines of NAME=value.
func environment(text string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(name, "#") {
			found[name] = value
		}
	}
	return found
}

func TestUnit_StartsProduction(t *testing.T) {
	unit := read(t, "systemd/countersign.service")
	environ := environment(read(t, "compose/production.env"))
	environ["COUNTERSIGN_REDIS_MODE"] = "sentinel"
	for _, match := range regexp.MustCompile(`(?m)^Environment=(\w+)=(.*)$`).FindAllStringSubmatch(unit, -1) {
		environ[match[1]] = match[2]
	}
	arrive(t, environ, []string{"/etc/countersign/secrets"})
	for _, wrong := range []string{"LoadCredential=", "DynamicUser=yes"} {
		if strings.Contains(unit, "\n"+wrong) {
			t.Errorf("%s: a secret that changes does not arrive", wrong)
		}
	}
	for _, needs := range []string{"ExecReload=/bin/kill -HUP $MAINPID", "User=countersign", "Group=countersign"} {
		if !strings.Contains(unit, "\n"+needs+"\n") {
			t.Errorf("%s is missing", needs)
		}
	}
	settings := checkSettings(t, environ)
	stop := regexp.MustCompile(`(?m)^TimeoutStopSec=(\S+)$`).FindStringSubmatch(unit)
	if stop == nil {
		t.Fatal("no TimeoutStopSec")
	}
	grace, err := time.ParseDuration(stop[1])
	checkGrace(t, settings, grace, err)
}

func TestManifests_StartProduction(t *testing.T) {
	objects := map[string]manifest{}
	for document := range strings.SplitSeq(read(t, "kubernetes/countersign.yaml"), "\n---\n") {
		m := parse[manifest](t, document)
		objects[m.Kind] = m
	}
	settings := checkSettings(t, objects["ConfigMap"].Data)
	pod := objects["Deployment"].Spec.Template.Spec
	checkGrace(t, settings, time.Duration(pod.Grace)*time.Second, nil)
	one := pod.Containers[0]
	if one.Readiness.Get.Path != "/readyz" || one.Liveness.Get.Path != "/healthz" || one.Startup.Get.Path != "/healthz" {
		t.Errorf("the probes are %+v", one)
	}
	if noticed := time.Duration(one.Readiness.Period*one.Readiness.Failures) * time.Second; noticed >= time.Duration(settings.DrainDelay) {
		t.Errorf("a node that drains is noticed after %v, and serves on for %v", noticed, settings.DrainDelay)
	}
	dockerfile, err := os.ReadFile("../../../Dockerfile")
	if err != nil || !strings.Contains(string(dockerfile), "USER 65532:65532") || pod.Security.User != 65532 {
		t.Errorf("%v: the image's user is not %d", err, pod.Security.User)
	}
	arrive(t, objects["ConfigMap"].Data, []string{one.Mounts["secrets"]})
	if strings.Contains(read(t, "kubernetes/countersign.yaml"), "subPath:") {
		t.Error("a file is mounted alone: when it changes, that does not arrive")
	}
}
