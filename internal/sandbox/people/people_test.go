package people

import (
	"strings"
	"sync"
	"testing"
)

func TestCanonical_OneSpelling(t *testing.T) {
	for id, want := range map[string]string{
		"alice@sandbox": "alice@sandbox", "ALICE@sandbox": "alice@sandbox", "Alice@SandBox": "alice@sandbox",
		"A.b+C-9@D.e": "a.b+c-9@d.e", "": "", "İ@sandbox": "İ@sandbox", "FRAN\u212a@sandbox": "fran\u212a@sandbox", "\xff@A": "\xff@a",
	} {
		if got := Canonical(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

func TestFind_AnySpelling(t *testing.T) {
	d := New(Demo())
	for id, there := range map[string]bool{
		"alice@sandbox": true, "ALICE@SANDBOX": true, "aLiCe@sandbox": true, "nobody@sandbox": false, "alice": false, "": false,
		"fran\u212a@sandbox": false, // the Kelvin sign, which Unicode folds to k
	} {
		if p, ok := d.Find(id); ok != there || ok && p.ID != "alice@sandbox" {
			t.Errorf("%q: %+v, %v", id, p, ok)
		}
	}
}

func TestPut_AnySpelling(t *testing.T) {
	d := New(Demo())
	d.Put("Grace@Bank", func(p *Person) { p.Phone = "+431" })
	d.Put("grace@BANK", func(p *Person) { p.Email = "grace@bank.example" })
	p, ok := d.Find("GRACE@bank")
	want := Person{ID: "grace@bank", PassKey: DemoPassword, DisplayName: "grace", Phone: "+431", Email: "grace@bank.example"}
	if !ok || p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
	d.Reset()
	if _, ok := d.Find("grace@bank"); ok {
		t.Error("there after a reset")
	}
}

func TestPut_SimultaneousSpellings(t *testing.T) {
	d := New(Demo())
	var all sync.WaitGroup
	for range 50 {
		for _, id := range []string{"grace@bank", "GRACE@bank"} {
			all.Go(func() { d.Put(id, func(p *Person) { p.Phone += "1" }) })
		}
	}
	all.Wait()
	if p, _ := d.Find("Grace@Bank"); p.Phone != strings.Repeat("1", 100) {
		t.Errorf("%d changes of 100", len(p.Phone))
	}
}

func TestValidID(t *testing.T) {
	for id, valid := range map[string]bool{
		"a@b": true, "A.b_c+d-e@F.g-h": true, strings.Repeat("a", 64) + "@" + strings.Repeat("b", 64): true,
		"": false, "a": false, "@b": false, "a@": false, "a@b@c": false, "a b@c": false, "ä@b": false, "a@b\n": false,
		strings.Repeat("a", 65) + "@b": false, "a@" + strings.Repeat("b", 65): false,
	} {
		if ValidID(id) != valid {
			t.Errorf("%q: valid %v", id, !valid)
		}
	}
}
