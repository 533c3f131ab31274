// Package strict_test reads the manifests as those do who start the program from them. It is
// a module of its own, so that the service depends on none of their readers.
package strict_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// kinds are what the manifests may hold.
var kinds = map[meta.TypeMeta]func() any{
	{APIVersion: "v1", Kind: "ConfigMap"}:                       func() any { return new(core.ConfigMap) },
	{APIVersion: "v1", Kind: "ServiceAccount"}:                  func() any { return new(core.ServiceAccount) },
	{APIVersion: "v1", Kind: "Service"}:                         func() any { return new(core.Service) },
	{APIVersion: "apps/v1", Kind: "Deployment"}:                 func() any { return new(apps.Deployment) },
	{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"}:      func() any { return new(policy.PodDisruptionBudget) },
	{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"}: func() any { return new(networking.NetworkPolicy) },
	{APIVersion: "networking.k8s.io/v1", Kind: "Ingress"}:       func() any { return new(networking.Ingress) },
}

// check reads a manifest as the API of Kubernetes would: a member that it does not know, one
// that stands there twice and a value of another type are errors.
func check(manifest []byte) (read int, err error) {
	for _, document := range bytes.Split(manifest, []byte("\n---\n")) {
		var about meta.TypeMeta
		if err := yaml.Unmarshal(document, &about); err != nil {
			return read, err
		}
		object := kinds[about]
		if object == nil {
			return read, fmt.Errorf("%s %s is not expected", about.APIVersion, about.Kind)
		}
		if err := yaml.UnmarshalStrict(document, object()); err != nil {
			return read, err
		}
		read++
	}
	return read, nil
}

func TestKubernetes_Manifest(t *testing.T) {
	manifest, err := os.ReadFile("../kubernetes/countersign.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if read, err := check(manifest); err != nil || read != len(kinds) {
		t.Errorf("%d objects, want %d: %v", read, len(kinds), err)
	}
	for right, wrong := range map[string]string{
		"periodSeconds: 1": "period: 1", "replicas: 3": "replicas: three", "kind: Ingress\n": "kind: Egress\n", "minReadySeconds: 5": "replicas: 5",
	} {
		broken := bytes.Replace(manifest, []byte(right), []byte(wrong), 1)
		if _, err := check(broken); err == nil || bytes.Equal(broken, manifest) {
			t.Errorf("%q instead of %q is taken", wrong, right)
		}
	}
}
