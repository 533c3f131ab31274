package signing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// sent returns the payload as it is sent on after edit.
func sent(t *testing.T, payload string, edit func(*Payload)) string {
	t.Helper()
	p, err := NewPayload([]byte(payload))
	if err != nil {
		t.Fatalf("%s: %v", payload, err)
	}
	edit(p)
	out, err := io.ReadAll(p.Edited(iotest.OneByteReader(strings.NewReader(payload))))
	if err != nil || int64(len(out)) != p.Size() {
		t.Errorf("%s: %d bytes, announced %d, %v", payload, len(out), p.Size(), err)
	}
	return string(out)
}

func TestSetCountersign_Ownership(t *testing.T) {
	const own = `{"owner":"alice@sandbox"}`
	long := `"x":"` + strings.Repeat(`\u00fc`, 9000) + `"`
	for payload, want := range map[string]string{
		`{}`:                                  `{"data":{"countersign":` + own + `}}`,
		` { } `:                               ` {"data":{"countersign":` + own + `} } `,
		`{"name":"a"}`:                        `{"data":{"countersign":` + own + `},"name":"a"}`,
		`{"data":null,"b":1}`:                 `{"data":{"countersign":` + own + `},"b":1}`,
		`{"b" : 1,"data" : {}}`:               `{"b" : 1,"data" : {"countersign":` + own + `}}`,
		`{"data":{"a":"}{"}}`:                 `{"data":{"countersign":` + own + `,"a":"}{"}}`,
		`{"data":{"countersign":null,"a":1}}`: `{"data":{"countersign":` + own + `,"a":1}}`,
		`{"d\u0061ta":{"a":1}}`:               `{"d\u0061ta":{"countersign":` + own + `,"a":1}}`,
		`{` + long + `,"data":{"a":1,` + long + `}}`:        `{` + long + `,"data":{"countersign":` + own + `,"a":1,` + long + `}}`,
		`{"base64Content":"AAAA",` + long + `,"data":null}`: `{"base64Content":"AAAA",` + long + `,"data":{"countersign":` + own + `}}`,
	} {
		got := sent(t, payload, func(p *Payload) {
			if err := p.SetCountersign(CountersignData{Owner: "alice@sandbox"}, nil); err != nil {
				t.Fatal(err)
			}
		})
		if got != want {
			t.Errorf("%.80s\n\tbecomes %.200s\n\twant %.200s", payload, got, want)
		}
	}
	got := sent(t, `{"name":"a"}`, func(p *Payload) { p.SetCountersign(CountersignData{Owner: "a@x", Key: "k"}, nil) })
	if want := `{"data":{"countersign":{"owner":"a@x","key":"k"}},"name":"a"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A copy has the original's data, but for Countersign's, unless the payload has some.
func TestCopy_Ownership(t *testing.T) {
	const own = `{"countersign":{"owner":"alice@sandbox"}`
	for _, c := range []struct{ payload, original, want string }{
		{`{}`, `{"case":7,"countersign":{"owner":"bob@sandbox","form":"f","kept":"k"},"a":"b"}`, `{"data":{"a":"b","case":7,"countersign":{"owner":"alice@sandbox"}}}`},
		{`{"name":"a"}`, `{"a":1}`, `{"data":{"a":1,"countersign":{"owner":"alice@sandbox"}},"name":"a"}`},
		{`{"data":null}`, `{"a":1}`, `{"data":` + own + `}}`},
		{`{"data":{"b":1}}`, `{"a":1}`, `{"data":` + own + `,"b":1}}`},
		{`{}`, `null`, `{"data":` + own + `}}`},
		{`{}`, `"text"`, `{"data":` + own + `}}`},
		{`{}`, ``, `{"data":` + own + `}}`},
	} {
		got := sent(t, c.payload, func(p *Payload) {
			if err := p.SetCountersign(CountersignData{Owner: "alice@sandbox"}, jsontext.Value(c.original)); err != nil {
				t.Fatal(err)
			}
		})
		if got != c.want {
			t.Errorf("%s as a copy of %s becomes %s, want %s", c.payload, c.original, got, c.want)
		}
	}
}

// Numbers of an SDK become words, whatever else is edited, and every other byte stays.
func TestNotificationMethods_NumbersBecomeWords(t *testing.T) {
	p, role := `"email":"a@b.co","firstName":"A","lastName":"B","phone":"+15145550100"`, `{"signers":[{"x":"`+strings.Repeat("ü", 9000)+`",%s, "notificationMethods": {"primary" :[%s] }, "n":[0,1]}]}`
	for numbers, words := range map[string]string{`0`: `"EMAIL"`, ` 1 , 0`: ` "SMS" , "EMAIL"`, `"EMAIL",1`: `"EMAIL","SMS"`, `1.0`: `"SMS"`, `"SMS"`: `"SMS"`} {
		payload, want := fmt.Sprintf(role, p, numbers), fmt.Sprintf(role, p, words)
		got := sent(t, payload, func(p *Payload) { good(t, p, CheckRole) })
		if got != want {
			t.Errorf("%s becomes %s", numbers, got)
		}
		two := strings.ReplaceAll(payload, "a@b.co", "c@d.co")
		got = sent(t, `{"name":"a","roles":[`+payload+`,`+two+`],"data":{"b":1}}`, func(p *Payload) {
			good(t, p, CheckPackage)
			good(t, p, CheckPackage)
			p.SetCountersign(CountersignData{Owner: "o"}, nil)
		})
		if got != `{"name":"a","roles":[`+want+`,`+strings.ReplaceAll(want, "a@b.co", "c@d.co")+`],"data":{"countersign":{"owner":"o"},"b":1}}` {
			t.Errorf("two roles with %s become %s", numbers, got)
		}
	}
}

func good(t *testing.T, p *Payload, check Check) {
	t.Helper()
	if err := check(p, Context{}); err != nil {
		t.Fatal(err, fault.From(err).Fields)
	}
}

func TestKeepCountersign_Ownership(t *testing.T) {
	s := stored(t)
	for payload, want := range map[string]string{
		`{"name":"b"}`:         `{"name":"b"}`,
		`{"data":null}`:        `{"data":{"countersign":{"owner":"a@x"}}}`,
		`{"data":{"c":2}}`:     `{"data":{"countersign":{"owner":"a@x"},"c":2}}`,
		`{"data": {} ,"b": 1}`: `{"data": {"countersign":{"owner":"a@x"}} ,"b": 1}`,
	} {
		if got := sent(t, payload, func(p *Payload) { p.KeepCountersign(s) }); got != want {
			t.Errorf("%s becomes %s, want %s", payload, got, want)
		}
		for _, without := range []*Package{nil, {}} {
			if got := sent(t, payload, func(p *Payload) { p.KeepCountersign(without) }); got != payload {
				t.Errorf("%s becomes %s, want it as it is", payload, got)
			}
		}
	}
}

// A payload is read in pieces of any size, and of a file only the verdict on it is kept, or its size.
func TestPayload_FileContentsNotKept(t *testing.T) {
	long := strings.Repeat(`aü\n\ud83d\ude00`, 20_000)
	before, after := `{"name":"a","base64Content":"`, `","x":["`+long+`"],"y":"`+long+`"}`
	text := before + strings.Repeat("JVBE", 1_000_000) + after
	for _, reader := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(iotest.HalfReader(strings.NewReader(text)))} {
		p, err := readPayload(reader)
		if err != nil {
			t.Fatal(err)
		}
		if want := before + "3000000" + after; string(p.text) != want || p.size != int64(len(text)) {
			t.Errorf("%d of %d bytes are kept, want %d", len(p.text), p.size, len(want))
		}
	}
	for _, broken := range []string{`\ud83d`, `\ud83dx`, "\xc3", `\x`, "\x01", `\u12g4`, strings.Repeat("\x80", 20_000)} {
		for _, member := range []string{"x", "pattern", "base64Content"} {
			text := `{"` + member + `":"` + long + broken + `"}`
			if _, err := readPayload(iotest.HalfReader(strings.NewReader(text))); !fault.Is(err, fault.RequestMalformed) {
				t.Errorf("%s with %q behind much is %v", member, broken, err)
			}
		}
	}
	for text, key := range map[string]fault.Key{
		`[` + strings.Repeat(`"a",`, 1<<18) + `1]`: fault.RequestTooLarge,
		`[` + strings.Repeat(` `, 1<<20) + `1]`:    fault.RequestTooLarge,
		strings.Repeat(`[`, 20_000):                fault.RequestMalformed,
		`["` + strings.Repeat(`a`, 1<<20) + `"]`:   fault.RequestTooLarge,
	} {
		if _, err := NewPayload([]byte(text)); !fault.Is(err, key) {
			t.Errorf("%.20s…: %v, want %s", text, err, key)
		}
	}
}

// The limit on a payload counts every byte beside its files, and none of a file.
func TestPayload_BoundedBesideFiles(t *testing.T) {
	file := `{"base64Content":"` + strings.Repeat("A", 4000)
	for _, c := range []struct {
		before, filler, after string
		beside                int // bytes, without the filler
	}{
		{`{"a":"`, "a", `"}`, 8}, {`{"`, "a", `":1}`, 6}, {`[`, " ", `]`, 2}, {file + `","a":["`, "a", `"]}`, 29},
	} {
		room := maxPayload - c.beside
		for more, want := range map[int]bool{0: true, 1: false, 5 << 20: false} {
			_, err := NewPayload([]byte(c.before + strings.Repeat(c.filler, room+more) + c.after))
			if want && err != nil || !want && !fault.Is(err, fault.RequestTooLarge) {
				t.Errorf("%.20s with %d bytes too many: %v", c.before, more, err)
			}
		}
	}
	if _, err := NewPayload([]byte(file + strings.Repeat("A", 8<<20) + `"}`)); err != nil {
		t.Errorf("a file of 8 MiB: %v", err)
	}
}

// Sixty-four levels may be nested, whatever they are, and brackets in strings do not
// count.
func TestPayload_NestingDepth(t *testing.T) {
	for _, c := range []struct{ open, inside, close string }{
		{"[", "", "]"}, {"[", "1", "]"}, {`{"a":`, `"[{["`, "}"}, {` [ "]" , `, `"\\"`, " ] "}, {`{"b":[[],[]],"[":`, `null`, ` }`},
	} {
		for depth, want := range map[int]bool{1: true, 64: true, 65: false, 66: false, 5_000: false} {
			text := strings.Repeat(c.open, depth) + c.inside + strings.Repeat(c.close, depth)
			if strings.Contains(c.open, "[[]") && depth == 64 {
				want = false // its arrays are deeper by two
			}
			_, err := NewPayload([]byte(text))
			if f := fault.From(err); want && err != nil || !want && (err == nil || f.Key != fault.RequestMalformed || len(f.Fields) != 0) {
				t.Errorf("%d times %s: %v", depth, c.open, err)
			}
		}
	}
}

func TestPayload_ReadErrorsStay(t *testing.T) {
	gone := errors.New("gone")
	_, err := readPayload(io.MultiReader(strings.NewReader(`{"a":`), iotest.ErrReader(gone)))
	if !errors.Is(err, gone) || fault.Is(err, fault.RequestMalformed) {
		t.Errorf("%v", err)
	}
}

func FuzzPayload(f *testing.F) {
	for _, seed := range []string{`{}`, `{"name":"a","data":{"b":"\ud83d\ude00"}}`, `{"data":null}`, `[1,"a",{"base64Content":"JVBERi0="}]`, `{"pattern":"(?=a)"}`, `{"a":"` + strings.Repeat("b", 9000) + `"}`} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, step int) {
		whole, err := NewPayload(text)
		if errors.Is(err, payload.ErrTooDeep) {
			return
		}
		if (err == nil) != (payload.WellFormed(text) == nil) {
			t.Fatalf("%q: %v, and the decoder says %v", text, err, payload.WellFormed(text))
		}
		if err != nil {
			return
		}
		pieces := &Payload{scanned: newScanner()}
		for rest := text; len(rest) > 0; {
			n := min(len(rest), max(1, step%7))
			if _, err := pieces.scanned.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		skeleton, err := pieces.scanned.Skeleton()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(skeleton, whole.text) {
			t.Fatalf("in pieces %q, whole %q", skeleton, whole.text)
		}
		if CheckPackage(whole, Context{}) != nil {
			return
		}
		whole.SetCountersign(CountersignData{Owner: "o"}, nil)
		out, _ := io.ReadAll(whole.Edited(bytes.NewReader(text)))
		again, err := NewPayload(out)
		if err != nil || int64(len(out)) != whole.Size() {
			t.Fatalf("%q becomes %q: %v", text, out, err)
		}
		data, _ := again.object().Member("data")
		if members, ok := data.Object(); !ok || !members.Has("countersign") {
			t.Fatalf("%q becomes %q, without its owner", text, out)
		}
	})
}

// What one member says is changed; the rest stays, also what only another version knows.
func TestWithCountersign_Rest(t *testing.T) {
	p, err := ReadPackage(jsontext.Value(`{"id":"p","data":{"theirs":[1],"countersign":{"owner":"alice@sandbox","later":{"a":1},"proofs":null,"kept":"k"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	d := p.Countersign
	if d.Owner != "alice@sandbox" || d.Kept != "k" || d.Proofs != nil {
		t.Errorf("%+v", d)
	}
	d.Kept = "other"
	changes, err := p.WithCountersign(d)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(changes, json.Deterministic(true))
	if want := `{"data":{"countersign":{"owner":"alice@sandbox","kept":"other","later":{"a":1}},"theirs":[1]}}`; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	for _, data := range []string{`null`, `[]`, `"x"`, `{"countersign":7}`} {
		p, err := ReadPackage(jsontext.Value(`{"id":"p","data":` + data + `}`))
		if err != nil || p.Countersign.Owner != "" {
			t.Errorf("%s: %+v, %v", data, p.Countersign, err)
		}
	}
}
