package strict_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// load reads a file of Compose by the reference reader of its specification: against its
// schema, with what it extends, and with services, volumes, networks and secrets that exist.
func load(file string, content []byte) (*types.Project, error) {
	return loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir:  filepath.Dir(file),
		ConfigFiles: []types.ConfigFile{{Filename: file, Content: content}},
		Environment: types.Mapping{},
	})
}

func TestCompose_Files(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	services := map[string]int{"compose.yaml": 2, "deploy/compose/single.yaml": 2, "deploy/compose/sentinel.yaml": 7, "deploy/compose/cluster.yaml": 8}
	for name, want := range services {
		file := filepath.Join(root, name)
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		project, err := load(file, content)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(project.Services) != want || !project.Services["countersign"].ReadOnly {
			t.Errorf("%s has %d services, want %d; its own can write to its root: %t", name, len(project.Services), want, !project.Services["countersign"].ReadOnly)
		}
		for right, wrong := range map[string]string{
			"restart:": "restarts:", "depends_on:\n      redis": "depends_on:\n      nobody", "volumes:\n  redis": "volumes:\n  other", "condition: service_healthy": "condition: healthy",
		} {
			broken := bytes.ReplaceAll(content, []byte(right), []byte(wrong))
			if bytes.Equal(broken, content) {
				continue
			}
			if _, err := load(file, broken); err == nil {
				t.Errorf("%s: %q instead of %q is taken", name, wrong, right)
			}
		}
	}
}

// The example for those who test against the sandbox is read as strictly.
func TestCompose_ExampleInDocuments(t *testing.T) {
	file, err := filepath.Abs("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, below, _ := bytes.Cut(text, []byte("\n## Docker Compose\n\n```yaml\n"))
	content, _, found := bytes.Cut(below, []byte("```"))
	if !found {
		t.Fatal("docs/testing.md has no example of Compose")
	}
	project, err := load(file, append([]byte("name: example\n"), content...))
	if err != nil || len(project.Services["sandbox"].Ports) != 1 || len(project.Services["sandbox"].Volumes) != 1 {
		t.Errorf("%+v %v", project, err)
	}
}
