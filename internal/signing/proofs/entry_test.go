package proofs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/seal/sealtest"
	"countersign/internal/signing/proofs"
)

var noon = time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)

func keeper(t *testing.T) proofs.Keeper {
	t.Helper()
	keys := sealtest.Keys(bytes.Repeat([]byte{1, 2}, 16))
	return proofs.NewKeeper(keys)
}

func unsigned(string) time.Time { return time.Time{} }

// entry is kept minutes after noon, by a passkey of a minute before.
func entry(role string, minutes int, documents int) proofs.Entry {
	at := noon.Add(time.Duration(minutes) * time.Minute)
	e := proofs.Entry{Role: role, Signer: role + "@corp.test", At: at, Passkey: &proofs.Passkey{Protocol: "FIDO2", At: at.Add(-time.Minute), Ceremony: strings.Repeat("c", 43)}}
	all := make([]proofs.Document, documents)
	for i := range all {
		all[i] = proofs.Document{ID: fmt.Sprint("document-", i), SHA256: fmt.Sprintf("%064x", i*7919+minutes)}
	}
	e.SetDocuments(all)
	return e
}

func TestEntries_OfOtherPackage(t *testing.T) {
	t.Parallel()
	k := keeper(t)
	text := k.Seal("one", []proofs.Entry{entry("bob", 0, 2)}, unsigned)
	if got := k.Open("one", text); len(got) != 1 || got[0].Signer != "bob@corp.test" || !got[0].At.Equal(noon) || len(got[0].Documents) != 2 || got[0].Passkey.Protocol != "FIDO2" {
		t.Errorf("opened is %+v", got)
	}
	for name, other := range map[string][]proofs.Entry{"another package": k.Open("two", text), "cut": k.Open("one", text[:len(text)-2]), "nothing": k.Open("one", ""), "no base64": k.Open("one", "?")} {
		if other != nil {
			t.Errorf("%s opens to %+v", name, other)
		}
	}
	if strings.Contains(text, "bob") {
		t.Error("it is not sealed")
	}
}

// Of many entries the newest stay, and the one that a signature stands on.
func TestEntries_NewestKept(t *testing.T) {
	t.Parallel()
	k := keeper(t)
	var all []proofs.Entry
	for i := range 50 {
		all = append(all, entry("bob", i, 1))
	}
	all = append(all, entry("dora", 3, 1))
	kept := k.Open("p", k.Seal("p", all, unsigned))
	if len(kept) != 21 || !kept[0].At.Equal(noon.Add(30*time.Minute)) {
		t.Errorf("%d are kept, from %s on", len(kept), kept[0].At)
	}
	signed := func(role string) time.Time {
		if role == "bob" {
			return noon.Add(5 * time.Minute)
		}
		return time.Time{}
	}
	kept = k.Open("p", k.Seal("p", all, signed))
	if len(kept) != 21 {
		t.Errorf("%d are kept", len(kept))
	}
	found := false
	for _, e := range kept {
		found = found || e.Role == "bob" && !e.At.After(signed("bob").Add(time.Minute))
	}
	if !found {
		t.Error("what the signature stands on is gone")
	}
}

func TestEntries_FitPackage(t *testing.T) {
	t.Parallel()
	k := keeper(t)
	var all []proofs.Entry
	for role := range 100 {
		for i := range 20 {
			all = append(all, entry(fmt.Sprint("role", role), i, 10))
		}
	}
	text := k.Seal("p", all, unsigned)
	if kept := k.Open("p", text); len(text) > 40<<10 || len(kept) < 20 {
		t.Errorf("%d entries take %d bytes", len(kept), len(text))
	}
}

func TestEntry_ManyDocumentsHashed(t *testing.T) {
	t.Parallel()
	if e := entry("bob", 0, 10); len(e.Documents) != 10 || e.DocumentsHash != "" {
		t.Errorf("ten documents are %+v", e)
	}
	e := entry("bob", 0, 11)
	if len(e.Documents) != 0 || len(e.DocumentsHash) != 64 {
		t.Errorf("eleven documents are %+v", e)
	}
	// printf 'a 11\nb 22\n' | sha256sum
	if got := proofs.HashOf([]proofs.Document{{ID: "b", SHA256: "22"}, {ID: "a", SHA256: "11"}}); got != "286ac3fb2fd8d1438239bb3927d8f20be194666e96d94bcf634a898399fe444c" {
		t.Errorf("the hash is %s", got)
	}
}

func TestPasskey_OmitsOtherProtocolsModel(t *testing.T) {
	t.Parallel()
	model := "4e4e#4005"
	for protocol, want := range map[string]string{
		"FIDO2": `{"aaguid":null,"at":"2026-03-04T12:00:00Z","ceremony":"","kind":null,"protocol":"FIDO2","provider":null}`,
		"UAF11": `{"aaid":"4e4e#4005","at":"2026-03-04T12:00:00Z","ceremony":"","kind":null,"protocol":"UAF11","provider":null}`,
	} {
		p := proofs.Passkey{Protocol: protocol, At: noon}
		if protocol == "UAF11" {
			p.AAID = &model
		}
		if got, err := json.Marshal(p); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

func TestState_OfSignature(t *testing.T) {
	t.Parallel()
	passkey := func(age int64) proofs.Rule {
		return proofs.Rule{ProofRequirement: proofs.ProofRequirement{Passkey: asksPasskey(age)}}
	}
	at := func(minutes int) proofs.Signature {
		return proofs.Signature{Role: "bob", Signers: []string{"bob@corp.test", "bo@corp.test"}, At: noon.Add(time.Duration(minutes) * time.Minute)}
	}
	kept := []proofs.Entry{entry("bob", 0, 1)}
	tightened := passkey(300).Tighten(proofs.ProofRequirement{Passkey: asksPasskey(30)}, noon.Add(20*time.Minute))
	other := at(10)
	other.Signers = []string{"rob@corp.test"}
	second := func(after time.Duration) proofs.Signature {
		s := at(20)
		s.At = s.At.Add(after).Truncate(time.Second)
		return s
	}
	asked := proofs.Rule{}.Tighten(passkey(300).ProofRequirement, noon.Add(20*time.Minute+900*time.Millisecond))
	loose := passkey(300).Tighten(proofs.ProofRequirement{Passkey: asksPasskey(30)}, noon.Add(20*time.Minute+900*time.Millisecond))
	for name, test := range map[string]struct {
		rule      proofs.Rule
		signature proofs.Signature
		want      proofs.State
	}{
		"nothing asked":                       {proofs.Rule{}, at(10), proofs.None},
		"not signed":                          {passkey(300), proofs.Signature{Role: "bob", Signers: []string{"bob@corp.test", "bo@corp.test"}}, proofs.Waiting},
		"signed":                              {passkey(300), at(10), proofs.Met},
		"signed a day later":                  {passkey(300), at(24 * 60), proofs.Met},
		"signed later than a day":             {passkey(300), at(24*60 + 1), proofs.Unmet},
		"signed before":                       {passkey(300), at(-2), proofs.Unmet},
		"the passkey was too old":             {passkey(59), at(10), proofs.Unmet},
		"just not too old":                    {passkey(60), at(10), proofs.Met},
		"another signer":                      {passkey(300), other, proofs.Unmet},
		"more was asked afterwards":           {tightened, at(10), proofs.Met},
		"more was asked before":               {tightened, at(30), proofs.Unmet},
		"asked in the same second":            {asked, second(0), proofs.Met},
		"more was asked in the same second":   {loose, second(0), proofs.Unmet},
		"in that second, to the millisecond":  {loose, second(999 * time.Millisecond), proofs.Unmet},
		"more was asked a second before":      {loose, second(time.Second), proofs.Unmet},
		"by a clock that may be behind":       {loose, second(-time.Minute), proofs.Unmet},
		"by a clock that cannot be so behind": {loose, second(-time.Minute - time.Second), proofs.Met},
		"an identity was asked":               {proofs.Rule{ProofRequirement: proofs.ProofRequirement{Identity: &proofs.Age{MaxAge: 3600}}}, at(10), proofs.Unmet},
	} {
		if got := proofs.StateOf(test.rule, test.signature, kept); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// An opening counts for what is signed after it alone: one after the signature does not make
// it good, however soon it comes.
func TestEntry_OpenedAfterSignature(t *testing.T) {
	t.Parallel()
	rule := proofs.Rule{ProofRequirement: proofs.ProofRequirement{Passkey: asksPasskey(300)}}
	for signed, want := range map[bool]proofs.State{false: proofs.Met, true: proofs.Unmet} {
		e := entry("bob", 0, 1)
		e.Signed = signed
		k := keeper(t)
		kept := k.Open("p", k.Seal("p", []proofs.Entry{e}, unsigned))
		if got := proofs.StateOf(rule, proofs.Signature{Role: "bob", Signers: []string{"bob@corp.test"}, At: noon}, kept); got != want {
			t.Errorf("an opening in the second of the signature, which was there (%t): %s, want %s", signed, got, want)
		}
	}
	// What nobody proved before the demand came is not there afterwards either.
	asked := proofs.Rule{}.Tighten(rule.ProofRequirement, noon)
	for _, at := range []time.Time{noon, noon.Add(time.Second), noon.Add(-time.Second)} {
		if got := proofs.StateOf(asked, proofs.Signature{Role: "bob", Signers: []string{"bob@corp.test"}, At: at}, nil); got != proofs.Unmet {
			t.Errorf("asked at noon and signed at %s without anything: %s", at, got)
		}
	}
}

func TestRules_ReadBack(t *testing.T) {
	t.Parallel()
	rules := proofs.Rules{"bob": {ProofRequirement: proofs.ProofRequirement{Passkey: asksPasskey(300)}}, "dora": {}}
	rules["bob"] = rules["bob"].Tighten(proofs.ProofRequirement{Passkey: asksPasskey(60)}, noon)
	again, err := proofs.ReadRules(rules.Value())
	if err != nil || len(again) != 1 || again["bob"].Passkey.MaxAge != 60 || again["bob"].At(noon.Add(-time.Hour)).Passkey.MaxAge != 300 {
		t.Errorf("read is %+v, %v", again, err)
	}
	copied, err := proofs.CopyRequirements(rules.Value())
	if err != nil || string(copied) != `{"bob":{"passkey":{"maxAge":60},"identity":null}}` {
		t.Errorf("copied is %s, %v", copied, err)
	}
	if value := (proofs.Rules{"bob": {}}).Value(); value != nil {
		t.Errorf("nothing asked is %s", value)
	}
	if _, err := proofs.ReadRules([]byte(`"x"`)); err == nil {
		t.Error("rules that cannot be read ask for nothing")
	}
}

func asksPasskey(maxAge int64) *proofs.PasskeyRequirement {
	return &proofs.PasskeyRequirement{Age: proofs.Age{MaxAge: maxAge}}
}

// A key that cannot leave its device is asked for apart from its age: it makes a rule stricter,
// and no other key meets it.
func TestRule_DeviceBound(t *testing.T) {
	bound := proofs.ProofRequirement{Passkey: &proofs.PasskeyRequirement{Age: proofs.Age{MaxAge: 300}, DeviceBound: true}}
	loose := proofs.ProofRequirement{Passkey: asksPasskey(300)}
	older := proofs.ProofRequirement{Passkey: asksPasskey(301)}
	if !bound.AtLeast(loose) || loose.AtLeast(bound) || bound.Equal(loose) || !bound.AtLeast(older) || older.AtLeast(bound) {
		t.Error("a bound key is not more than any")
	}
	for payload, want := range map[string]bool{
		`{"passkey":{"deviceBound":true}}`: true, `{"passkey":{"deviceBound":false}}`: false, `{"passkey":{"deviceBound":null}}`: false, `{"passkey":{}}`: false,
	} {
		if got, err := proofs.ReadAsked([]byte(payload)); err != nil || got.Passkey.DeviceBound != want || got.Passkey.MaxAge != 300 {
			t.Errorf("%s: %+v, %v", payload, got.Passkey, err)
		}
	}
	kind := func(text string) *string { return &text }
	for _, step := range []struct {
		kind   *string
		lacks  string
		stands proofs.State
	}{{kind("device-bound"), "", proofs.Met}, {kind("synced"), "synced", proofs.Unmet}, {nil, "unknown", proofs.Unmet}} {
		e := entry("bob", 0, 0)
		e.Passkey.Kind = step.kind
		if got := e.Passkey.Lacks(*bound.Passkey); got != step.lacks {
			t.Errorf("%v lacks %q, want %q", step.kind, got, step.lacks)
		}
		if got := e.Passkey.Lacks(*loose.Passkey); got != "" {
			t.Errorf("%v lacks %q of any key", step.kind, got)
		}
		signed := proofs.Signature{Role: "bob", Signers: []string{e.Signer}, At: noon.Add(time.Minute)}
		if got := proofs.StateOf(proofs.Rule{ProofRequirement: bound}, signed, []proofs.Entry{e}); got != step.stands {
			t.Errorf("%v: %s, want %s", step.kind, got, step.stands)
		}
	}
}
