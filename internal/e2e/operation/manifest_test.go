package operation_test

import "go.yaml.in/yaml/v3"

// manifest is the relevant part of a Kubernetes object.
type manifest struct {
	Kind string
	Data map[string]string
	Spec struct {
		Template struct{ Spec pod }
	}
}

type pod struct {
	Grace    int `yaml:"terminationGracePeriodSeconds"`
	Security struct {
		User int `yaml:"runAsUser"`
	} `yaml:"securityContext"`
	Containers []container
}

type container struct {
	Startup   probe  `yaml:"startupProbe"`
	Liveness  probe  `yaml:"livenessProbe"`
	Readiness probe  `yaml:"readinessProbe"`
	Mounts    mounts `yaml:"volumeMounts"`
}

type probe struct {
	Get      struct{ Path, Port string } `yaml:"httpGet"`
	Period   int                         `yaml:"periodSeconds"`
	Failures int                         `yaml:"failureThreshold"`
}

// mounts are the paths of volumes by name.
type mounts map[string]string

// UnmarshalYAML converts the list.
func (m *mounts) UnmarshalYAML(node *yaml.Node) error {
	var list []struct {
		Name string
		Path string `yaml:"mountPath"`
	}
	err := node.Decode(&list)
	*m = mounts{}
	for _, one := range list {
		(*m)[one.Name] = one.Path
	}
	return err
}
