package signing

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"countersign/internal/fault"
)

// An upload of 16 MiB allocates hardly more than one of 1 MiB.
func TestUpload_ConstantMemory(t *testing.T) {
	const json = "application/json"
	for name, c := range map[string]struct{ contentType, text string }{
		"streamed":  {formType, form(payloadPart(onePDF), filePart("a", "%PDF-1.7#"))},
		"a text":    {formType, form(payloadPart(onePDF), filePart("a", "text #"))},
		"spooled":   {formType, form(filePart("a", "%PDF-1.7#"), payloadPart(onePDF))},
		"in base64": {json, `{"name":"a","documents":[{"base64Content":"JVBERi0x#"}]}`},
	} {
		little, much := allocated(t, c.contentType, c.text, 1<<20), allocated(t, c.contentType, c.text, 16<<20)
		if much > little+256<<10 {
			t.Errorf("%s: %d bytes for 1 MiB, %d for 16 MiB", name, little, much)
		}
	}
}

// allocated returns the bytes allocated for an upload of size bytes.
func allocated(t *testing.T, contentType, text string, size int64) uint64 {
	t.Helper()
	dir := t.TempDir()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	u, err := NewUpload(contentType, surrounded(text, size), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	err = CheckPackage(u.Payload(), Context{})
	var body *Body
	if err == nil {
		body, err = u.Body()
	}
	if err == nil {
		var n int64
		if n, err = io.Copy(io.Discard, body); n < size {
			t.Fatalf("%d bytes of %d are passed on", n, size)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// surrounded returns text with size bytes instead of its #.
func surrounded(text string, size int64) io.Reader {
	before, after, _ := strings.Cut(text, "#")
	return io.MultiReader(strings.NewReader(before), io.LimitReader(repeated('A'), size), strings.NewReader(after))
}

type repeated byte

func (r repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

func FuzzUpload(f *testing.F) {
	f.Add([]byte(form(payloadPart(onePDF), filePart("a", "%PDF-1.7"))))
	f.Add([]byte(form(filePart("a", "text"), payloadPart(`{"name":"a","data":null,"documents":[{},{}]}`), filePart("b", "text"))))
	f.Add([]byte(form(section{"Content-Disposition: form-data; name=\"payload\"; filename=\"payload\"\nContent-Type: a/b", `{}`})))
	f.Add([]byte("--" + boundary + "--"))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := passed(t, formType, bytes.NewReader(body), CheckPackage, func(p *Payload) { p.SetCountersign(CountersignData{Owner: "o"}, nil) })
		if err != nil {
			return
		}
		for i, part := range got {
			if isPayload := strings.HasPrefix(part.headers, `form-data; name="payload"`); isPayload != (i == 0) {
				t.Fatalf("%q is part %d", part.headers, i)
			}
		}
		if !strings.Contains(got[0].content, `"countersign":{"owner":"o"}`) {
			t.Fatalf("%q has no owner", got[0].content)
		}
	})
}

// The names of files are those of lines, in every part, however they are written.
func TestFileNames_NoControlCharacters(t *testing.T) {
	long := strings.Repeat("ü", 255)
	for name, refused := range map[string]bool{
		`filename*=UTF-8''x%E2%80%AEfdp.exe`: true, "filename=\"x\u202efdp.exe\"": true, "filename=\"x\u2066y\"": true, `filename*=UTF-8''a%0Ab`: true,
		`filename*=UTF-8''a%C2%85b`: true, `filename*=UTF-8''a%E2%80%A8b`: true, "filename=\"a\tb\"": true, `filename="` + long + `x"`: true,
		`filename="` + long + `"`: false, "filename=\"שלום\u200f.pdf\"": false, `filename="Verträge.pdf"`: false,
	} {
		file := section{`Content-Disposition: form-data; name="file"; ` + name, "%PDF-1.7"}
		attached := func() error {
			body, err := NewAttachment(formType, strings.NewReader(form(file, file)))
			if err == nil {
				_, err = io.Copy(io.Discard, body)
			}
			return err
		}
		first := func() error {
			_, err := passed(t, formType, strings.NewReader(form(file, payloadPart(onePDF))), CheckPackage)
			return err
		}
		last := func() error {
			_, err := passed(t, formType, strings.NewReader(form(payloadPart(onePDF), file)), CheckPackage)
			return err
		}
		for place, send := range map[string]func() error{"an attachment": attached, "before": first, "after": last} {
			err := send()
			if !refused && err != nil || refused && (!fault.Is(err, fault.RequestInvalid) || fault.From(err).Fields[0].Pointer != "/file") {
				t.Errorf("%s, %.60s: %v", place, name, err)
			}
		}
	}
}
