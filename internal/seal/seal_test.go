package seal_test

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"testing"

	"countersign/internal/seal"
)

var one, two = bytes.Repeat([]byte{1}, seal.KeyLength), bytes.Repeat([]byte{2}, seal.KeyLength)

func keys(t testing.TB, all ...[]byte) seal.Keys {
	t.Helper()
	k, err := seal.New(all...)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestNew_InvalidKeys(t *testing.T) {
	for name, c := range map[string]struct {
		keys [][]byte
		says string
	}{
		"no key":            {nil, "no key"},
		"an empty key":      {[][]byte{{}}, "key 1 has 0 bytes"},
		"a short key":       {[][]byte{one[:31]}, "key 1 has 31 bytes"},
		"a long second key": {[][]byte{one, append(two, 2)}, "key 2 has 33 bytes"},
	} {
		if _, err := seal.New(c.keys...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// A sealed text opens unchanged, but not under another key, purpose, secret or place, nor
// with another length.
func TestSeal_OtherContextNotOpened(t *testing.T) {
	k := keys(t, one)
	for name, sealer := range map[string]seal.Sealer{"for": k.For("purpose"), "with": k.With([]byte("secret"), "purpose")} {
		for how, sealIt := range map[string]func(plain, about []byte) []byte{"random": sealer.Seal, "deterministic": sealer.SealDeterministic} {
			sealed := sealIt([]byte("plain"), []byte("about"))
			if plain, ok := sealer.Open(sealed, []byte("about")); !ok || string(plain) != "plain" {
				t.Errorf("%s, %s: opened %q, %v", name, how, plain, ok)
			}
			if len(sealed) != len("plain")+28 || bytes.Contains(sealed, []byte("plain")) {
				t.Errorf("%s, %s: sealed as %x", name, how, sealed)
			}
			for what, other := range map[string]seal.Sealer{
				"another key":     keys(t, two).For("purpose"),
				"another purpose": k.For("purposes"),
				"no secret":       k.With(nil, "purpose"),
				"another secret":  k.With([]byte("secrets"), "purpose"),
				"another's key":   keys(t, two).With([]byte("secret"), "purpose"),
				"another's use":   k.With([]byte("secret"), "use"),
			} {
				if plain, ok := other.Open(sealed, []byte("about")); ok {
					t.Errorf("%s, %s: %s opens %q", name, how, what, plain)
				}
			}
			for _, about := range []string{"", "abou", "about2"} {
				if _, ok := sealer.Open(sealed, []byte(about)); ok {
					t.Errorf("%s, %s: opens about %q", name, how, about)
				}
			}
			for n := range sealed {
				if _, ok := sealer.Open(sealed[:n], []byte("about")); ok {
					t.Errorf("%s, %s: %d bytes of it open", name, how, n)
				}
				changed := bytes.Clone(sealed)
				changed[n] ^= 1
				if _, ok := sealer.Open(changed, []byte("about")); ok {
					t.Errorf("%s, %s: opens with a bit of byte %d changed", name, how, n)
				}
			}
		}
	}
}

// Random seals of one text differ each time, deterministic ones are equal for equal input
// alone.
func TestSealer_RandomAndDeterministic(t *testing.T) {
	s := keys(t, one).For("purpose")
	if bytes.Equal(s.Seal([]byte("a"), nil), s.Seal([]byte("a"), nil)) {
		t.Error("the same is sealed the same twice")
	}
	seen := map[string]string{}
	for _, input := range [][2]string{{"", ""}, {"a", ""}, {"", "a"}, {"ab", "c"}, {"a", "bc"}, {"1:a", ""}, {"", "1:a"}} {
		plain, about := []byte(input[0]), []byte(input[1])
		sealed := s.SealDeterministic(plain, about)
		if !bytes.Equal(sealed, s.SealDeterministic(plain, about)) {
			t.Errorf("%q looks different the second time", input)
		}
		if other, ok := seen[string(sealed[:12])]; ok {
			t.Errorf("%q has the nonce of %q", input, other)
		}
		seen[string(sealed[:12])] = input[0] + "|" + input[1]
	}
}

// The first key seals and names, all open; each key alone has its own names.
func TestKeys_Rotation(t *testing.T) {
	before, both, after := keys(t, one), keys(t, one, two), keys(t, two, one)
	for name, sealer := range map[string]func(seal.Keys) seal.Sealer{
		"for":  func(k seal.Keys) seal.Sealer { return k.For("purpose") },
		"with": func(k seal.Keys) seal.Sealer { return k.With([]byte("secret"), "purpose") },
	} {
		old, young := sealer(before).Seal([]byte("old"), nil), sealer(after).Seal([]byte("new"), nil)
		for step, k := range map[string]seal.Keys{"both": both, "after": after} {
			if plain, ok := sealer(k).Open(old, nil); !ok || string(plain) != "old" {
				t.Errorf("%s, %s: the old key's is %q, %v", name, step, plain, ok)
			}
			if plain, ok := sealer(k).Open(young, nil); !ok || string(plain) != "new" {
				t.Errorf("%s, %s: the new key's is %q, %v", name, step, plain, ok)
			}
		}
		if _, ok := sealer(before).Open(young, nil); ok {
			t.Errorf("%s: the new key's opens without the new key", name)
		}
		if _, ok := sealer(keys(t, two)).Open(old, nil); ok {
			t.Errorf("%s: the old key's opens without the old key", name)
		}
		if sealer(both).Name("x") != sealer(before).Name("x") || sealer(after).Name("x") == sealer(before).Name("x") {
			t.Errorf("%s: names are not the first key's", name)
		}
		for i, each := range after.Each() {
			if want := []seal.Keys{keys(t, two), before}[i]; sealer(each).Name("x") != sealer(want).Name("x") {
				t.Errorf("%s: key %d alone names by another", name, i)
			}
		}
	}
}

func TestName_DependsOnPurpose(t *testing.T) {
	s, other := keys(t, one).For("purpose"), keys(t, one).For("another")
	seen := map[string]bool{}
	for _, text := range []string{"", "a", "alice@sandbox", "Alice@sandbox", strings.Repeat("x", 4096)} {
		name := s.Name(text)
		if len(name) != 22 || seen[name] || name != s.Name(text) || name == other.Name(text) {
			t.Errorf("%.20q is named %q", text, name)
		}
		seen[name] = true
	}
}

// One sealer serves many goroutines at once.
func TestSealer_ConcurrentUse(t *testing.T) {
	s := keys(t, one, two).For("purpose")
	names := []string{s.Name("0"), s.Name("1")}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 100 {
				about := []byte{byte(i)}
				if plain, ok := s.Open(s.Seal([]byte("plain"), about), about); !ok || string(plain) != "plain" {
					t.Errorf("opened %q, %v", plain, ok)
				}
				if got := s.Name(strconv.Itoa(i % 2)); got != names[i%2] {
					t.Errorf("the name of %d is %q, and was %q", i%2, got, names[i%2])
				}
			}
		})
	}
	wg.Wait()
}

func FuzzOpen(f *testing.F) {
	s := keys(f, one, two).For("purpose")
	f.Add(s.Seal([]byte("plain"), []byte("about")), []byte("about"))
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, sealed, about []byte) {
		if plain, ok := s.Open(sealed, about); ok && len(sealed) != len(plain)+28 {
			t.Errorf("%d bytes open to %d", len(sealed), len(plain))
		}
	})
}

// Keys that are replaced hold for copies and sealers made before: the first of the new ones
// seals and names, all of them open, and one that is not listed any more opens nothing. What
// was asked for one by one, or with a secret, stays with the keys of its time.
func TestReplace_EarlierSealersFollow(t *testing.T) {
	k := keys(t, one)
	sealer, each, with := k.For("purpose"), k.Each(), k.With([]byte("secret"), "purpose")
	old, named := sealer.Seal([]byte("old"), nil), sealer.Name("a")
	for _, step := range []struct {
		keys               [][]byte
		opensOld, opensNew bool
		name               string
	}{
		{[][]byte{one, two}, true, true, named},
		{[][]byte{two, one}, true, true, keys(t, two).For("purpose").Name("a")},
		{[][]byte{two}, false, true, keys(t, two).For("purpose").Name("a")},
	} {
		before := k.Generation()
		if err := k.Replace(step.keys...); err != nil || k.Generation() != before+1 {
			t.Fatalf("%v, generation %d after %d", err, k.Generation(), before)
		}
		young := keys(t, two).For("purpose").Seal([]byte("new"), nil)
		for name, s := range map[string]seal.Sealer{"made before": sealer, "made after": k.For("purpose")} {
			_, opensOld := s.Open(old, nil)
			_, opensNew := s.Open(young, nil)
			if opensOld != step.opensOld || opensNew != step.opensNew || s.Name("a") != step.name || len(s.Each()) != len(step.keys) {
				t.Errorf("%d keys, %s: opens old %v, new %v, names %s, %d of each", len(step.keys), name, opensOld, opensNew, s.Name("a"), len(s.Each()))
			}
		}
	}
	if err := k.Replace(one, one[:3]); err == nil || k.Generation() != 3 {
		t.Errorf("a short key: %v", err)
	}
	if err := k.Replace(); err == nil || k.Generation() != 3 {
		t.Errorf("no key: %v", err)
	}
	if _, ok := each[0].For("purpose").Open(old, nil); !ok || len(k.Each()) != 1 || each[0].Generation() != 0 {
		t.Error("one of each does not stay")
	}
	if _, ok := with.Open(keys(t, one).With([]byte("secret"), "purpose").Seal(nil, nil), nil); !ok {
		t.Error("a sealer with a secret does not stay")
	}
}

// Sealers are used while keys are replaced.
func TestReplace_ConcurrentUse(t *testing.T) {
	k := keys(t, one, two)
	sealer := k.For("purpose")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 200 {
				if plain, ok := sealer.Open(sealer.Seal([]byte{byte(i)}, nil), nil); !ok || plain[0] != byte(i) {
					t.Error("a seal does not open")
				}
			}
		})
	}
	for i := range 50 {
		if err := k.Replace([][][]byte{{one, two}, {two, one}}[i%2]...); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
}
