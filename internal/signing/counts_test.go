package signing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/internal/payload"
)

// inStock returns a package with so many roles, documents and fields beside those that do
// not count. The fields are in the first document, half of them in each of its approvals.
func inStock(t *testing.T, roles, documents, fields int) Context {
	t.Helper()
	half := fields / 2
	s, err := ReadStored([]byte(`{"roles":[{"id":"sender","type":"SENDER"},` + numbered(`{"id":"r%d","type":"SIGNER"}`, roles)[1:] +
		`,"documents":[{"id":"default-consent","approvals":[{"id":"c","fields":` + numbered(`{"id":"c%d"}`, 50) + `}]},{"id":"d","approvals":[{"id":"a","fields":` + numbered(`{"id":"f%d"}`, half) +
		`},{"id":"b","fields":` + numbered(`{"id":"f%d"}`, fields-half) + `}]},` + numbered(`{"id":"d%d"}`, documents-1)[1:] + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return Context{Limits: Limits{MaxDocuments: 100}, Package: s, Field: FieldPath{Document: "d", Approval: "a", Field: "f1"}}
}

func TestLimits_OfNewPackage(t *testing.T) {
	fields := func(n int) string {
		return `{"external":{},"approvals":[{"role":"r0","fields":` + numbered(`{"x":%d}`, n) + `}]}`
	}
	around(`{"name":"a","roles":%s}`, "/roles", verdicts{
		{numbered(`{"id":"r%d"}`, 100), ""}, {numbered(`{"id":"r%d"}`, 101), "."}, {`[{"type":"SENDER"},` + numbered(`{"id":"r%d"}`, 100)[1:], ""}, {numbered(`{"x":%d}`, 101), "."},
	}).run(t, CheckPackage, Context{})
	around(`{"name":"a","roles":[{"id":"r0"}],"documents":%s}`, "/documents", verdicts{
		{numbered(`{"external":{},"id":"d%d"}`, 100), ""}, {numbered(`{"external":{},"id":"d%d"}`, 101), "."},
		{`[{"external":{},"id":"default-consent"},` + numbered(`{"external":{},"id":"d%d"}`, 100)[1:], ""}, {numbered(`{"external":{},"name":"%d"}`, 1000), "."},
		{`[` + fields(2000) + `]`, ""}, {`[` + fields(2001) + `]`, "/0/approvals/0/fields"}, {`[` + fields(1000) + `,` + fields(1000) + `]`, ""},
		{`[` + fields(1000) + `,` + fields(1000) + `,` + fields(1) + `]`, "/2/approvals/0/fields"},
	}).run(t, CheckPackage, Context{Limits: Limits{MaxDocuments: 100}})
}

// What the package has already counts on later calls, except what the payload replaces,
// and never exceeds a limit by itself.
func TestLimits_CountStoredOnLaterCalls(t *testing.T) {
	signer := `"signers":[{"email":"new@b.co","firstName":"A","lastName":"B"}]`
	some, full, over := inStock(t, 99, 99, 1999), inStock(t, 100, 100, 2000), inStock(t, 120, 120, 3000)
	for _, c := range []struct {
		check            Check
		payload, refused string // the pointer where the package is full
	}{
		{CheckRole, `{` + signer + `}`, "."}, {CheckRoles, `[{"id":"r1"},{"id":"new",` + signer + `}]`, "."}, {CheckPackageUpdate, `{"roles":[{"id":"r1"},{"id":"new"}]}`, "/roles"},
		{CheckDocuments, `{"external":{}}`, "."}, {CheckDocuments, `[{"external":{},"id":"new"}]`, "."}, {CheckPackageUpdate, `{"documents":[{"id":"d1"},{"id":"new"}]}`, "/documents"},
		{CheckField, `{"type":"INPUT"}`, "."}, {CheckApproval, `{"role":"r1","fields":[{}]}`, "/fields"},
		{CheckDocuments, `{"external":{},"id":"d","approvals":[{"role":"r1","fields":[{}]}]}`, "/approvals/0/fields"},
		{CheckRole, `{"type":"SENDER"}`, ""}, {CheckRoles, `[{"id":"sender"},{"id":"r1"}]`, ""}, {CheckRoleUpdate, `{}`, ""}, {CheckDocumentUpdate, `{"name":"a"}`, ""},
		{CheckPackageUpdate, `{"roles":[{"id":"r1"},{"id":"sender"}],"documents":[{"id":"d1"},{"id":"default-consent"}]}`, ""},
		{CheckFieldUpdate, `{"name":"a"}`, ""}, {CheckApproval, `{"role":"r1"}`, ""},
		{CheckApprovals, `[{"role":"r1","fields":[{}]}]`, ""}, {CheckApprovalUpdate, `{"fields":[{}]}`, ""}, {CheckDocumentUpdate, `{"approvals":[{"role":"r1","fields":[{}]}]}`, ""},
	} {
		for _, stock := range []struct {
			Context
			want string
		}{{some, ""}, {full, c.refused}, {over, c.refused}} {
			got := judged(t, dotted(c.check), c.payload, stock.Context)
			if got != stock.want {
				t.Errorf("%s to %d roles is refused for %q, want %q", c.payload, len(stock.Package.Roles)-1, got, stock.want)
			}
		}
	}
	for _, c := range []struct {
		check  Check
		format string
		most   int
		want   string
	}{
		{CheckApprovals, `[{"role":"r1","fields":%s}]`, 2000, "/0/fields"}, {CheckApprovalUpdate, `{"fields":%s}`, 1000, "/fields"},
		{CheckDocumentUpdate, `{"approvals":[{"role":"r1","fields":%s}]}`, 2000, "/approvals/0/fields"},
	} {
		for more, want := range map[int]string{0: "", 1: c.want} {
			if got := judged(t, c.check, fmt.Sprintf(c.format, numbered(`{"x":%d}`, c.most+more)), full); got != want {
				t.Errorf("%s with %d fields is refused for %q, want %q", c.format, c.most+more, got, want)
			}
		}
	}
}

// The files that all roles ask for are counted together, with what is stored and not replaced.
func TestRequestedFiles_CountedTogether(t *testing.T) {
	asking := func(each ...int) string {
		all := []string{}
		for i, n := range each {
			all = append(all, fmt.Sprintf(`{"id":"r%d","attachmentRequirements":%s}`, i, numbered(`{"name":"f%d"}`, n)))
		}
		return `[` + strings.Join(all, ",") + `]`
	}
	around(`{"name":"a","roles":%s}`, "/roles", verdicts{
		{asking(500, 500), ""}, {asking(500, 500, 1), "/2/attachmentRequirements"}, {asking(1, 1000), "/1/attachmentRequirements"},
	}).run(t, CheckPackage, Context{})
	stored := func(each ...int) *Package {
		s, err := ReadStored([]byte(`{"roles":` + asking(each...) + `}`))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	verdicts{
		{asking(500, 500), ""}, {asking(500), ""}, {`[{"id":"r0"}]`, ""}, {asking(501), "/0/attachmentRequirements"},
	}.run(t, CheckRoles, Context{Package: stored(500, 500)})
	verdicts{{asking(2000), ""}, {asking(2000, 1), ""}, {asking(2000, 1, 1), "/2/attachmentRequirements"}}.run(t, func(p *Payload, c Context) error {
		return p.check(c, "[", func(r *rules, v payload.Value) {
			r.within("roles")
			r.distinct(slices.Collect(v.Elements())...)
		})
	}, Context{Package: stored(2000, 1)})
	role := Context{Package: stored(500, 500), Role: "r0"}
	verdicts{
		{`{"attachmentRequirements":` + numbered(`{"name":"%d"}`, 500) + `}`, ""}, {`{"attachmentRequirements":` + numbered(`{"name":"%d"}`, 501) + `}`, "/attachmentRequirements"},
		{`{"name":"a"}`, ""},
	}.run(t, CheckRoleUpdate, role)
}
