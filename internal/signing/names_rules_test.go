package signing

import "testing"

// signer returns a signer with the id and e-mail address.
func signer(id, email string) string {
	return `{"id":"` + id + `","email":"` + email + `",` + person + `}`
}

// roleOf returns a role with the id and signers.
func roleOf(id, signers string) string { return `{"id":"` + id + `","signers":[` + signers + `]}` }

func TestNames_InPackage(t *testing.T) {
	a, b := signer("s", "a@b.co"), signer("t", "b@b.co")
	around(`{"name":"a","roles":[%s]}`, "/roles", verdicts{
		{roleOf("r", a) + `,` + roleOf("q", b), ""}, {roleOf("s", a) + `,` + roleOf("t", b), ""}, {roleOf("a@b.co", a), ""}, {roleOf("r", signer("a@b.co", "A@b.co")), ""},
		{roleOf("", signer("", "a@b.co")) + `,` + roleOf("", signer("", "b@b.co")), ""}, {roleOf("r", signer("s", "a@b.co")+`,`+signer("S", "b@b.co")), ""},
		{`{"signers":[{"id":null,"email":"a@b.co",` + person + `},{"email":"b@b.co",` + person + `}]}`, ""}, {`{"signers":[{"id":5,"email":"a@b.co",` + person + `}]}`, "/0/signers/0/id"},
		{roleOf("r", a) + `,` + roleOf("q", signer("s", "b@b.co")), "/1/signers/0/id"}, {roleOf("r", a+`,`+signer("s", "b@b.co")), "/0/signers/1/id"},
		{roleOf("r", a) + `,` + roleOf("q", signer("\\u0073", "b@b.co")), "/1/signers/0/id"},
		{roleOf("r", a) + `,` + roleOf("q", signer("r", "b@b.co")), "/0/id /1/signers/0/id"}, {roleOf("r", signer("q", "a@b.co")) + `,` + roleOf("q", b), "/1/id /0/signers/0/id"},
		{roleOf("r", signer("b@b.co", "a@b.co")) + `,` + roleOf("q", b), "/0/signers/0/id"}, {roleOf("r", a) + `,` + roleOf("q", signer("A@B.co", "b@b.co")), "/1/signers/0/id"},
		{roleOf("r", signer("b@b.co", "a@b.co")+`,`+b), "/0/signers/0/id"}, {roleOf("r", signer("B@b.CO", "a@b.co")) + `,` + roleOf("q", signer("", "b@B.co")), "/0/signers/0/id"},
		{roleOf("b@b.co", a) + `,` + roleOf("q", b), "/0/id"}, {roleOf("r", a) + `,` + roleOf("A@b.co", b), "/1/id"},
		{roleOf("r", signer("b@b.co", "a@b.co")) + `,` + roleOf("q", signer("a@b.co", "b@b.co")), "/0/signers/0/id /1/signers/0/id"},
	}).run(t, CheckPackage, Context{})
	verdicts{{`{"roles":[` + roleOf("r", a) + `,` + roleOf("q", signer("s", "b@b.co")) + `]}`, "/roles/1/signers/0/id"}}.run(t, CheckClone, Context{})
}

func TestNames_InStoredPackage(t *testing.T) {
	c := Context{Package: stored(t)}
	verdicts{
		{roleOf("r3", signer("s3", "c@b.co")), ""}, {roleOf("r3", signer("s1", "c@b.co")), "/signers/0/id"}, {roleOf("r3", signer("r2", "c@b.co")), "/signers/0/id"},
		{roleOf("r3", signer("AL@b.co", "c@b.co")), "/signers/0/id"}, {roleOf("s2", signer("s3", "c@b.co")), "/id"}, {roleOf("bo@B.co", signer("s3", "c@b.co")), "/id"},
		{roleOf("r3", signer("bo@b.co", "bo@b.co")), "/signers/0/email /signers/0/id"},
	}.run(t, CheckRole, c)
	verdicts{
		{`[` + roleOf("r1", signer("s2", "al@b.co")) + `]`, "/0/signers/0/id"}, {`[` + roleOf("r1", signer("s2", "al@b.co")) + `,` + roleOf("r2", signer("s1", "bo@b.co")) + `]`, ""},
		{`[` + roleOf("r1", signer("s2", "al@b.co")) + `,{"id":"r2"}]`, "/0/signers/0/id"}, {`[{"id":"r2"},` + roleOf("r1", signer("bo@b.co", "al@b.co")) + `]`, "/1/signers/0/id"},
		{`[{"id":"r2","signers":[{"id":"s2"}]},` + roleOf("r1", signer("bo@b.co", "al@b.co")) + `]`, "/1/signers/0/id"}, {`[` + roleOf("s1", signer("x", "c@b.co")) + `]`, "/0/id"},
	}.run(t, CheckRoles, c)
	verdicts{{`{"roles":[` + roleOf("r1", signer("BO@b.co", "al@b.co")) + `]}`, "/roles/0/signers/0/id"}, {`{"roles":[` + roleOf("r1", signer("s1", "al@b.co")) + `]}`, ""}}.run(t, CheckPackageUpdate, c)
	c.Role = "r1"
	verdicts{
		{`{"signers":[{"id":"s1","email":"al@b.co"}]}`, ""}, {`{"signers":[{"id":"r1"}]}`, ""}, {`{"signers":[{"id":"new"}]}`, ""}, {`{"signers":[{"id":"al@b.co"}]}`, ""},
		{`{"signers":[{"id":"s2"}]}`, "/signers/0/id"}, {`{"signers":[{"id":"r2"}]}`, "/signers/0/id"}, {`{"signers":[{"id":"Bo@b.co"}]}`, "/signers/0/id"}, {`{"signers":[{"id":"BO@B.CO"}]}`, "/signers/0/id"},
	}.run(t, CheckRoleUpdate, c)
	taken, err := ReadStored([]byte(`{"roles":[{"id":"r1","signers":[{"id":"C@b.co","email":"al@b.co"}]},{"id":"d@b.co"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	verdicts{
		{roleOf("r3", signer("", "c@b.co")), "/signers/0/email"}, {roleOf("r3", signer("", "D@b.co")), "/signers/0/email"}, {roleOf("r3", signer("", "e@b.co")), ""},
	}.run(t, CheckRole, Context{Package: taken})
	verdicts{{`{"signers":[{"email":"c@b.co"}]}`, ""}, {`{"signers":[{"email":"d@b.co"}]}`, "/signers/0/email"}}.run(t, CheckRoleUpdate, Context{Package: taken, Role: "r1"})
}
