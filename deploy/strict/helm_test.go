package strict_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	chartutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"
)

// rendered returns the documents of the chart with values of YAML, in an order that does not
// change.
func rendered(t *testing.T, values string) ([]byte, error) {
	t.Helper()
	chart, err := loader.Load("../helm/countersign")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]any{}
	if err := yaml.Unmarshal([]byte(values), &given); err != nil {
		t.Fatal(err)
	}
	release := common.ReleaseOptions{Name: "countersign", Namespace: "default", IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, given, release, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Engine{Strict: true}.Render(chart, all)
	var documents [][]byte
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if text := strings.TrimSpace(files[name]); text != "" && strings.HasSuffix(name, ".yaml") {
			documents = append(documents, []byte(text+"\n"))
		}
	}
	return bytes.Join(documents, []byte("\n---\n")), err
}

// asInstalled are the values that render to kubernetes/countersign.yaml.
const asInstalled = `
image: {repository: registry.example.com/countersign, tag: v1.0.0}
settings:
  COUNTERSIGN_PLATFORM_URL: https://tenant.example.com/v1
  COUNTERSIGN_SIGNING_URL: https://signing.example.com
  COUNTERSIGN_PUBLIC_ORIGIN: https://sign.example.com
  COUNTERSIGN_TRUSTED_PROXIES: 10.0.0.0/8
  COUNTERSIGN_REDIS_MODE: sentinel
ingress: {host: sign.example.com}
`

// least are the values without which there is no chart, and without what may be left out.
const least = `
image: {repository: countersign}
settings: {COUNTERSIGN_PLATFORM_URL: "https://a.example", COUNTERSIGN_PUBLIC_ORIGIN: "https://b.example"}
secret: {files: {COUNTERSIGN_IDENTITY_CLIENT_CERT: null, COUNTERSIGN_IDENTITY_CLIENT_KEY: null, COUNTERSIGN_SIGNING_API_KEY: null}}
ingress: {enabled: false}
networkPolicy: {enabled: false}
`

// most are values that change whatever can be changed.
const most = `
image: {repository: "registry.example.com:5000/a/countersign", tag: v2, pullPolicy: Always, pullSecrets: [pull, other]}
replicas: 7
settings:
  COUNTERSIGN_PLATFORM_URL: "https://a.example"
  COUNTERSIGN_PUBLIC_ORIGIN: "https://b.example"
  COUNTERSIGN_OPERATORS: "a@b, c@d"
  COUNTERSIGN_SIGNING_TRASH_AFTER: "365"
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318"
secret: {name: other, files: {COUNTERSIGN_IDV_TOKEN: idv-token, COUNTERSIGN_SMTP_URL: smtp-url}}
drain: {delay: 10s, timeout: 1m30s, gracePeriodSeconds: 120}
memory: 1GiB
resources: {requests: {cpu: "1"}, limits: {memory: 4Gi}}
spool: {size: 20Gi}
fonts: {claim: noto}
podAnnotations: {a: "b: c", "d": "true"}
nodeSelector: {disk: ssd}
tolerations: [{key: a, operator: Exists, effect: NoSchedule}]
service: {port: 8080}
disruptionBudget: {maxUnavailable: 30%}
ingress: {className: traefik, host: b.example, tlsSecret: tls, annotations: {a: b}}
networkPolicy:
  ingressNamespace: traefik
  monitoringNamespace: prometheus
  redis: {podLabels: {app: valkey}, ports: [6380]}
  egress: [{cidr: 192.0.2.0/24, ports: [443, 465]}, {cidr: "2001:db8::/32", ports: [443]}]
`

// The chart renders, with three sets of values, to what the API of Kubernetes takes.
func TestHelm_ChartRenders(t *testing.T) {
	for name, tc := range map[string]struct {
		values  string
		objects int
	}{"as installed": {asInstalled, len(kinds)}, "least": {least, len(kinds) - 2}, "most": {most, len(kinds)}} {
		manifest, err := rendered(t, tc.values)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if read, err := check(manifest); err != nil || read != tc.objects {
			t.Errorf("%s: %d objects, want %d: %v\n%s", name, read, tc.objects, err, manifest)
		}
	}
}

// objects returns the objects of a manifest by their kind, without what Helm adds.
func objects(t *testing.T, manifest []byte) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, document := range bytes.Split(manifest, []byte("\n---\n")) {
		var object map[string]any
		if err := yaml.Unmarshal(document, &object); err != nil {
			t.Fatal(err)
		}
		all[object["kind"].(string)] = withoutHelm(object)
	}
	return all
}

func withoutHelm(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for _, added := range []string{"app.kubernetes.io/instance", "app.kubernetes.io/managed-by", "app.kubernetes.io/version", "checksum/settings"} {
			delete(v, added)
		}
		for name := range v {
			v[name] = withoutHelm(v[name])
		}
	case []any:
		for i := range v {
			v[i] = withoutHelm(v[i])
		}
	}
	return value
}

// The chart installs what kubernetes/countersign.yaml does.
func TestHelm_MatchesManifest(t *testing.T) {
	manifest, err := os.ReadFile("../kubernetes/countersign.yaml")
	if err != nil {
		t.Fatal(err)
	}
	chart, err := rendered(t, asInstalled)
	if err != nil {
		t.Fatal(err)
	}
	want, got := objects(t, manifest), objects(t, chart)
	for kind := range want {
		if !reflect.DeepEqual(got[kind], want[kind]) {
			has, _ := json.MarshalIndent(got[kind], "", " ")
			wants, _ := json.MarshalIndent(want[kind], "", " ")
			t.Errorf("%s of the chart is\n%s\nnot\n%s", kind, has, wants)
		}
	}
}

// Values that the chart does not know, and secrets among the settings, are refused.
func TestHelm_InvalidValuesRefused(t *testing.T) {
	for name, change := range map[string][2]string{
		"an unknown value":            {"replicas: 7", "replica: 7"},
		"no number":                   {"replicas: 7", "replicas: seven"},
		"nobody":                      {"replicas: 7", "replicas: 0"},
		"a member that is not known":  {"delay: 10s", "wait: 10s, delay: 10s"},
		"a secret among the settings": {"COUNTERSIGN_OPERATORS:", "COUNTERSIGN_SESSION_KEYS:"},
		"a token among the settings":  {"COUNTERSIGN_OPERATORS:", "COUNTERSIGN_IDV_TOKEN:"},
		"what the chart sets":         {"COUNTERSIGN_OPERATORS:", "COUNTERSIGN_ADMIN_ADDR:"},
		"no setting":                  {"COUNTERSIGN_OPERATORS:", "OPERATORS:"},
		"a number as a setting":       {`"365"`, "365"},
		"no origin":                   {"COUNTERSIGN_PUBLIC_ORIGIN:", "COUNTERSIGN_ORIGIN:"},
		"no image":                    {`repository: "registry.example.com:5000/a/countersign", `, ""},
		"no host":                     {"host: b.example, ", ""},
		"a path as a file":            {"idv-token", "../idv-token"},
		"a port that is none":         {"ports: [6380]", "ports: [65536]"},
		"no duration":                 {"timeout: 1m30s", "timeout: 90"},
	} {
		wrong := strings.Replace(most, change[0], change[1], 1)
		if _, err := rendered(t, wrong); err == nil || wrong == most {
			t.Errorf("%s is taken", name)
		}
	}
}
