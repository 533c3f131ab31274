package signing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// section is a part of a form as a client writes it.
type section struct{ headers, content string }

const boundary = "x-boundary"

// form returns sections as a multipart body.
func form(sections ...section) string {
	var b strings.Builder
	for _, s := range sections {
		fmt.Fprintf(&b, "--%s\r\n%s\r\n\r\n%s\r\n", boundary, strings.ReplaceAll(s.headers, "\n", "\r\n"), s.content)
	}
	return b.String() + "--" + boundary + "--\r\n"
}

func payloadPart(text string) section {
	return section{`Content-Disposition: form-data; name="payload"`, text}
}

func filePart(name, content string) section {
	return section{`Content-Disposition: form-data; name="file"; filename="` + name + `"`, content}
}

const formType = `multipart/form-data; boundary=` + boundary

// passed returns an upload as the platform gets it: its parts, each with its headers, or
// the error that ended it.
func passed(t *testing.T, contentType string, body io.Reader, check Check, edit ...func(*Payload)) ([]section, error) {
	t.Helper()
	u, err := NewUpload(contentType, body, t.TempDir())
	if err != nil {
		return nil, err
	}
	defer u.Close()
	if err := check(u.Payload(), Context{}); err != nil {
		return nil, err
	}
	for _, e := range edit {
		e(u.Payload())
	}
	out, err := u.Body()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(iotest.OneByteReader(out))
	if (err == nil) != (out.Err() == nil) || err == nil && out.Length >= 0 && out.Length != int64(len(text)) {
		t.Errorf("the body ends in %v, Err is %v; %d bytes, announced %d", err, out.Err(), len(text), out.Length)
	}
	media, parameters, _ := mime.ParseMediaType(out.ContentType)
	if media != "multipart/form-data" {
		return []section{{media, string(text)}}, err
	}
	if whole := strings.HasSuffix(string(text), "--"+parameters["boundary"]+"--\r\n"); whole != (err == nil) {
		t.Errorf("whole: %t, and the error is %v", whole, err)
	}
	return sections(t, text, parameters["boundary"], err == nil), err
}

func sections(t *testing.T, text []byte, boundary string, whole bool) (all []section) {
	t.Helper()
	reader := multipart.NewReader(bytes.NewReader(text), boundary)
	for {
		p, err := reader.NextRawPart()
		if err == io.EOF || err != nil && !whole {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		content, _ := io.ReadAll(p)
		header := p.Header.Get("Content-Disposition")
		if kind := p.Header.Get("Content-Type"); kind != "" {
			header += " | " + kind
		}
		all = append(all, section{header, string(content)})
	}
}

const onePDF = `{"name":"a","documents":[{"name":"d"}]}`

func TestUpload_FormsOfClients(t *testing.T) {
	pdf := "%PDF-1.7\n\x00\xff\r\n--x\r\n%%EOF"
	named := func(name string) string { return `form-data; name="file"; filename="` + name + `"` }
	for name, c := range map[string]struct {
		contentType, body string
		want              []section
	}{
		"Java": {`multipart/form-data; boundary=` + boundary, form(
			section{"Content-Disposition: form-data; name=\"payload\"\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit", onePDF},
			section{"Content-Disposition: form-data; name=\"file\"; filename=\"Vertr?ge\"\nContent-Type: application/pdf\nContent-Transfer-Encoding: binary", pdf}),
			[]section{{`form-data; name="payload" | text/plain; charset=UTF-8`, onePDF}, {named("Vertr?ge") + " | application/pdf", pdf}}},
		".NET": {`multipart/form-data; esl-api-version=11.66.0; boundary=` + boundary, form(
			section{`Content-Disposition: form-data; name="payload"; filename="payload"`, onePDF}, filePart("Verträge.pdf", pdf+"\r\n")),
			[]section{{`form-data; name="payload"; filename="payload"`, onePDF}, {named("Verträge.pdf"), pdf + "\r\n"}}},
		".NET, a document": {`multipart/form-data; esl-api-version=11.66.0; boundary=` + boundary, form(
			section{`Content-Disposition: form-data; name="payload"; filename="paylaod"`, onePDF}, filePart("d.pdf", pdf)),
			[]section{{`form-data; name="payload"; filename="paylaod"`, onePDF}, {named("d.pdf"), pdf}}},
		"PHP": {formType, form(
			section{"Content-Disposition: form-data; name=\"payload\"\nContent-Length: 38", onePDF},
			section{"Content-Disposition: form-data; name=\"file\"; filename=\"d.pdf\"\nContent-Length: 9\nContent-Type: application/pdf", pdf}),
			[]section{{`form-data; name="payload"`, onePDF}, {named("d.pdf") + " | application/pdf", pdf}}},
		"Node": {formType, form(
			section{"Content-Disposition: form-data; name=\"file\"; filename=\"ü.pdf\"\nContent-Type: application/pdf", pdf}, payloadPart(onePDF)),
			[]section{{`form-data; name="payload"`, onePDF}, {named("ü.pdf") + " | application/pdf", pdf}}},
		"in between, and strange names": {`Multipart/Form-Data;boundary="` + boundary + `"`, form(
			filePart("a;b.pdf", pdf), payloadPart(`{"name":"a","documents":[{},{"external":{"id":"x"}},{},{"base64Content":"JVBERi0="},{}]}`),
			section{`Content-Disposition: form-data; name=file; filename*=UTF-8''%C3%BC%22x`, "text ü"}, section{`content-disposition: form-data; name="file"`, `{\rtf1}`}),
			[]section{{`form-data; name="payload"`, `{"name":"a","documents":[{},{"external":{"id":"x"}},{},{"base64Content":"JVBERi0="},{}]}`}, {named("a;b.pdf"), pdf},
				{named(`ü\"x`), "text ü"}, {`form-data; name="file"`, `{\rtf1}`}}},
		"without files": {formType, form(payloadPart(`{"name":"a"}`)), []section{{`form-data; name="payload"`, `{"name":"a"}`}}},
		"JSON":          {`application/json; esl-api-version=11.68.0`, ` {"name":"a"} `, []section{{"application/json", ` {"name":"a"} `}}},
	} {
		for how, body := range map[string]io.Reader{"whole": strings.NewReader(c.body), "byte by byte": iotest.OneByteReader(strings.NewReader(c.body))} {
			got, err := passed(t, c.contentType, body, CheckPackage)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(section{})); err != nil || diff != "" {
				t.Errorf("%s, %s: %v\n%s", name, how, err, diff)
			}
		}
	}
}

func TestUpload_Refused(t *testing.T) {
	pdf, bad := "%PDF-1.7", "\x89PNG\r\n\x1a\n\x00"
	two := `{"name":"a","documents":[{},{}]}`
	long := strings.Repeat("text ", 1000)
	for name, c := range map[string]struct {
		body string
		want string
		part int // the number of parts that the platform got
	}{
		"no payload":               {form(filePart("a", pdf)), "request.malformed", 0},
		"nothing":                  {"--" + boundary + "--\r\n", "request.malformed", 0},
		"empty":                    {"", "request.malformed", 0},
		"two payloads":             {form(payloadPart(`{"name":"a"}`), payloadPart(`{"name":"a"}`)), "request.malformed", 0},
		"two around a file":        {form(payloadPart(onePDF), filePart("a", pdf), payloadPart(onePDF)), "request.malformed", 2},
		"an unknown part":          {form(payloadPart(`{"name":"a"}`), section{`Content-Disposition: form-data; name="x"`, ""}), "request.malformed", 0},
		"an unknown part at first": {form(section{`Content-Disposition: form-data; name="files"`, ""}, payloadPart(`{"name":"a"}`)), "request.malformed", 0},
		"a part without a name":    {form(section{`Content-Disposition: form-data`, ""}), "request.malformed", 0},
		"an attachment":            {form(section{`Content-Disposition: attachment; name="payload"`, `{"name":"a"}`}), "request.malformed", 0},
		"an encoded part":          {form(section{"Content-Disposition: form-data; name=\"payload\"\nContent-Transfer-Encoding: base64", `e30=`}), "request.malformed", 0},
		"a payload that is none":   {form(payloadPart("{"), filePart("a", pdf)), "request.malformed", 0},
		"a payload that is a list": {form(payloadPart("[]")), "request.malformed", 0},
		"a bad payload":            {form(payloadPart(`{"documents":[{"name":"a/b"}]}`), filePart("a", bad)), "/name /documents/0/name", 0},
		"a bad payload, last":      {form(filePart("a", bad), payloadPart(`{"documents":[{"name":"a/b"}]}`)), "/name /documents/0/name", 0},
		"too large a payload":      {form(payloadPart(`{"name":"a","x":"` + strings.Repeat("x", 1<<20) + `"}`)), "request.too-large", 0},
		"a file too few":           {form(payloadPart(two), filePart("a", pdf)), "/documents", 2},
		"no file":                  {form(payloadPart(two)), "/documents", 0},
		"a file too few, last":     {form(filePart("a", pdf), payloadPart(two)), "/documents", 0},
		"a file too many":          {form(payloadPart(onePDF), filePart("a", pdf), filePart("b", pdf)), "/documents", 2},
		"a file for none":          {form(payloadPart(`{"name":"a"}`), filePart("a", pdf)), "/documents", 0},
		"files too many, first":    {form(filePart("a", pdf), filePart("b", pdf), payloadPart(onePDF)), "/documents", 0},
		"a file of another kind":   {form(payloadPart(onePDF), filePart("a", bad)), "/documents/0", 0},
		"the second of them":       {form(payloadPart(two), filePart("a", pdf), filePart("b", bad)), "/documents/1", 2},
		"the second, first":        {form(filePart("a", pdf), filePart("b", bad), payloadPart(two)), "/documents/1", 0},
		"an empty file":            {form(payloadPart(onePDF), filePart("a", "")), "/documents/0", 0},
		"an empty file, first":     {form(filePart("a", ""), payloadPart(onePDF)), "/documents/0", 0},
		"a text with a byte 0":     {form(payloadPart(onePDF), filePart("a", long+"\x00"+long)), "/documents/0", 2},
		"half a letter at its end": {form(payloadPart(onePDF), filePart("a", long+"\xc3")), "/documents/0", 2},
		"behind an external one":   {form(payloadPart(`{"name":"a","documents":[{"external":{}},{}]}`), filePart("a", bad)), "/documents/1", 0},
		"a broken off body":        {strings.TrimSuffix(form(payloadPart(two), filePart("a", pdf), filePart("b", pdf)), "--\r\n"), "request.malformed", 3},
		"a broken off file":        {"--" + boundary + "\r\n" + strings.Repeat("x", 10), "request.malformed", 0},
		"broken off in a file":     {strings.Split(form(payloadPart(onePDF), filePart("a", pdf+long)), "text \r\n")[0], "request.malformed", 2},
		"another boundary":         {strings.ReplaceAll(form(payloadPart(`{"name":"a"}`)), boundary, "y"), "request.malformed", 0},
		"too long a header":        {form(section{`Content-Disposition: form-data; name="payload"; filename="` + strings.Repeat("a", 40_000) + `"`, onePDF}), "request.malformed", 0},
		"too many headers":         {form(section{`Content-Disposition: form-data; name="payload"` + strings.Repeat("\nX-A: b", 9000), onePDF}), "request.malformed", 0},
		"too long a preamble":      {strings.Repeat("x", 40_000) + "\r\n" + form(payloadPart(`{"name":"a"}`)), "request.malformed", 0},
		"too many parts":           {form(append(many(256), payloadPart(`{"name":"a","documents":[{}]}`))...), "request.malformed", 0},
	} {
		got, err := passed(t, formType, strings.NewReader(c.body), CheckPackage)
		f := fault.From(err)
		told := string(f.Key)
		if f.Key == fault.RequestInvalid {
			told = ""
			for _, field := range f.Fields {
				told += " " + field.Pointer
			}
			told = strings.TrimSpace(told)
		}
		if detail := "field.form"; f.Key == fault.RequestMalformed && (len(f.Fields) != 1 || f.Fields[0].Detail != detail) != strings.HasPrefix(name, "a payload that") {
			t.Errorf("%s: %v, want %s", name, f.Fields, detail)
		}
		if told != c.want || len(got) != c.part {
			t.Errorf("%s: %v with %d parts passed on, want %s with %d", name, err, len(got), c.want, c.part)
		}
	}
}

func many(n int) (all []section) {
	for range n {
		all = append(all, filePart("a", "%PDF-"))
	}
	return all
}

func TestUpload_OneDocument(t *testing.T) {
	pdf := "%PDF-1.7"
	for body, want := range map[string]string{
		form(payloadPart(`{"name":"a"}`), filePart("a", pdf)):                   "",
		form(payloadPart(`{"name":"a"}`)):                                       "[]",
		form(payloadPart(`[{},{}]`), filePart("a", pdf), filePart("b", pdf)):    "",
		form(payloadPart(`[{},{}]`), filePart("a", pdf), filePart("b", "\x00")): "[/1]",
		form(payloadPart(`[{}]`), filePart("a", pdf), filePart("b", pdf)):       "[]",
		form(payloadPart(`{"name":"a"}`), filePart("a", "\x00")):                "[]",
		form(payloadPart(`[{"id":"zip"}]`), filePart("a", pdf)):                 "[/0/id]",
		form(payloadPart(`{"base64Content":"JVBERi0="}`), filePart("a", pdf)):   "[]",
	} {
		if _, err := passed(t, formType, strings.NewReader(body), CheckDocuments); refusedAt(err) != want {
			t.Errorf("%q: %v, want %s", body, err, want)
		}
	}
	for body, want := range map[string]string{
		form(payloadPart(`{"name":"a"}`), filePart("a", pdf)):                     "",
		form(payloadPart(`{"name":"a"}`)):                                         "",
		form(payloadPart(`{"name":"a"}`), filePart("a", "\x00")):                  "[]",
		form(payloadPart(`{"name":"a"}`), filePart("a", pdf), filePart("b", pdf)): "[]",
	} {
		if _, err := passed(t, formType, strings.NewReader(body), CheckDocumentUpdate); refusedAt(err) != want {
			t.Errorf("%q: %v, want %s", body, err, want)
		}
	}
}

func refusedAt(err error) string {
	if err == nil {
		return ""
	}
	var pointers []string
	for _, field := range fault.From(err).Fields {
		pointers = append(pointers, field.Pointer)
	}
	return fmt.Sprint(pointers)
}

func TestUpload_OtherMediaTypes(t *testing.T) {
	for contentType, key := range map[string]fault.Key{
		"": fault.RequestMediaType, "text/plain": fault.RequestMediaType, "application/xml": fault.RequestMediaType, "application/json; charset=latin1": fault.RequestMediaType,
		"multipart/mixed; boundary=" + boundary: fault.RequestMediaType, "multipart/form-data": fault.RequestMalformed, "application/json; charset=UTF-8": "", "multipart/form-data; boundary=": fault.RequestMediaType,
	} {
		_, err := passed(t, contentType, strings.NewReader(`{"name":"a"}`), CheckPackage)
		if key == "" && err != nil || key != "" && !fault.Is(err, key) {
			t.Errorf("%q: %v, want %s", contentType, err, key)
		}
		if f := fault.From(err); key == fault.RequestMalformed && f.Fields[0].Detail != "field.form" {
			t.Errorf("%q: %v", contentType, f.Fields)
		}
	}
}

// The file in which an upload waits has no name, and a body that is too long has an error
// of its own.
func TestUpload_SpooledFileHasNoName(t *testing.T) {
	dir := t.TempDir()
	pdf := "%PDF-1.7" + strings.Repeat("\x00", 3*64<<10)
	body := form(filePart("a", pdf), filePart("b", "short"), payloadPart(`{"name":"a","documents":[{},{}]}`))
	u, err := NewUpload(formType, strings.NewReader(body), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v %v are to be seen while it waits", entries, err)
	}
	got, err := passed(t, formType, strings.NewReader(body), CheckPackage, func(p *Payload) { p.SetCountersign(CountersignData{Owner: "o"}, nil) })
	if err != nil || len(got) != 3 || got[1].content != pdf || got[2].content != "short" || !strings.Contains(got[0].content, `"owner":"o"`) {
		t.Errorf("%v, %d parts", err, len(got))
	}
	limit := http.MaxBytesReader(httptest.NewRecorder(), io.NopCloser(strings.NewReader(body)), 5000)
	if _, err := passed(t, formType, limit, CheckPackage); !fault.Is(err, fault.RequestTooLarge) {
		t.Errorf("beyond the limit: %v", err)
	}
	_, err = NewUpload(formType, strings.NewReader(body), dir+"/none")
	if !fault.Is(err, fault.ServerUnavailable) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without its directory: %v", err)
	}
	if payload.CheckDir(dir) != nil || payload.CheckDir(dir+"/none") == nil {
		t.Error("a directory is not told from none")
	}
}
