package idempotency

import (
	"bytes"
	"encoding/hex"
	"io"
	"strings"
	"testing"
)

const (
	form = "multipart/form-data; boundary=b"
)

func part(headers, content string) string { return "--b\r\n" + headers + "\r\n\r\n" + content + "\r\n" }

func named(name, fileName, content string) string {
	return part(`Content-Disposition: form-data; name="`+name+`"; filename="`+fileName+`"`, content)
}

const end = "--b--\r\n"

var payload, lease, rent = part(`Content-Disposition: form-data; name="payload"`, `{"name":"x"}`), named("file", "lease.pdf", "%PDF-1"), named("file", "rent.pdf", "%PDF-2")

// digestOf returns the digest of a body that is written size bytes at a time.
func digestOf(contentType, body string, size int) (string, error) {
	b := newBody(Request{Method: "POST", Path: "/packages", ContentType: contentType, Body: strings.NewReader(body)})
	defer b.close()
	if _, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{b}, make([]byte, size)); err != nil {
		return "", err
	}
	digest, err := b.digest()
	return hex.EncodeToString(digest), err
}

func TestDigest_SameRequest(t *testing.T) {
	t.Parallel()
	whole := payload + lease + rent + end
	same := map[string][2]string{
		"as it is":             {form, whole},
		"another boundary":     {"multipart/form-data; boundary=other", strings.ReplaceAll(whole, "--b", "--other")},
		"payload last":         {form, lease + rent + payload + end},
		"payload between":      {form, lease + payload + rent + end},
		"a part's type":        {form, strings.Replace(whole, "Content-Disposition", "Content-Type: text/plain\r\nContent-Disposition", 1)},
		"spelling of headers":  {form, strings.ReplaceAll(whole, `Content-Disposition: form-data; name="file"`, `content-disposition:form-data;name=file`)},
		"a parameter before":   {"multipart/form-data; esl-api-version=11.66.0; boundary=\"b\"", whole},
		"text around":          {form, "before\r\n" + whole + "after"},
		"no line at the end":   {form, strings.TrimSpace(whole)},
		"capitals of the type": {"Multipart/Form-Data; Boundary=b", whole},
	}
	want, err := digestOf(form, whole, 100)
	if err != nil || len(want) != 64 {
		t.Fatal(want, err)
	}
	for what, request := range same {
		for _, size := range []int{1, 7, 1 << 10} {
			if got, err := digestOf(request[0], request[1], size); got != want || err != nil {
				t.Errorf("%s, %d bytes at a time: %s, %v", what, size, got, err)
			}
		}
	}
	differ := map[string][2]string{
		"files exchanged":     {form, payload + rent + lease + end},
		"contents exchanged":  {form, payload + named("file", "lease.pdf", "%PDF-2") + named("file", "rent.pdf", "%PDF-1") + end},
		"another payload":     {form, strings.Replace(whole, `"x"`, `"y"`, 1)},
		"another file name":   {form, strings.Replace(whole, "rent.pdf", "Rent.pdf", 1)},
		"another part name":   {form, strings.Replace(whole, `name="file"`, `name="files"`, 1)},
		"a file less":         {form, payload + lease + end},
		"a file twice":        {form, payload + lease + rent + rent + end},
		"a longer file":       {form, strings.Replace(whole, "%PDF-1", "%PDF-1 ", 1)},
		"a byte moved on":     {form, payload + named("file", "lease.pdf", "%PDF-") + named("file", "rent.pdf", "1%PDF-2") + end},
		"one file of two":     {form, payload + named("file", "lease.pdf", "%PDF-1%PDF-2") + end},
		"no form":             {"application/octet-stream", whole},
		"payload with a name": {form, named("payload", "payload", `{"name":"x"}`) + lease + rent + end},
	}
	for what, request := range differ {
		if got, err := digestOf(request[0], request[1], 100); got == want || err != nil {
			t.Errorf("%s: the same, %v", what, err)
		}
	}
}

func TestDigest_UnreadableForms(t *testing.T) {
	t.Parallel()
	many := strings.Builder{}
	for i := range maxPartNames + 1 {
		many.WriteString(named(strings.Repeat("n", i+1), "", ""))
	}
	for what, body := range map[string]string{
		"empty":           "",
		"no end":          payload + lease,
		"half a boundary": payload + "--b-",
		"half a header":   payload + "--b\r\nContent-Disp",
		"a header alone":  payload + "--b\r\nContent-Disposition: form-data; name=file",
		"no content":      payload + "--b\r\nContent-Disposition: form-data; name=file\r\n\r\n",
		"a long header":   part("X: "+strings.Repeat("x", maxPartHeader), "") + end,
		"a long preamble": strings.Repeat("x\r\n", maxPartHeader) + payload + end,
		"many names":      many.String() + end,
	} {
		if got, err := digestOf(form, body, 1000); err == nil {
			t.Errorf("%s: %s", what, got)
		}
	}
	if _, err := digestOf(form, named("file", "long", strings.Repeat("x", 3*maxPartHeader))+end, 1000); err != nil {
		t.Errorf("a long file: %v", err)
	}
}

// TestDigester_AbandonedBody closes a body that nobody read, which ends its digester's goroutine.
func TestDigester_AbandonedBody(t *testing.T) {
	t.Parallel()
	b := newBody(Request{ContentType: form, Body: strings.NewReader(payload)})
	b.close()
	if _, err := b.Read(make([]byte, 10)); err == nil {
		t.Error("read after its end")
	}
}

func FuzzDigest(f *testing.F) {
	f.Add(form, payload+lease+rent+end, 7)
	f.Add(form, payload+lease, 1)
	f.Add("application/json", `{"name":"x"}`, 3)
	f.Add(`multipart/form-data; boundary=""`, "----", 1)
	f.Fuzz(func(t *testing.T, contentType, body string, size int) {
		size = min(max(size, 1), 1<<16)
		got, err := digestOf(contentType, body, size)
		again, errAgain := digestOf(contentType, body, 1<<16)
		if got != again || (err == nil) != (errAgain == nil) {
			t.Errorf("%q, %v in pieces; %q, %v at once", got, err, again, errAgain)
		}
	})
}

// TestBody_LastBytesWithheld shows which bytes the platform has before the record is written.
func TestBody_LastBytesWithheld(t *testing.T) {
	t.Parallel()
	for _, length := range []int{0, 1, withheldLength - 1, withheldLength, withheldLength + 1, 5000, 100_000} {
		text := bytes.Repeat([]byte("0123456789"), length/10+1)[:length]
		var passed bytes.Buffer
		released := -1
		a := (&Attempt{}).HoldLastBytes(io.NopCloser(bytes.NewReader(text)))
		a.(*tailHolder).release = func() error { released = passed.Len(); return nil }
		if _, err := io.CopyBuffer(struct{ io.Writer }{&passed}, struct{ io.Reader }{a}, make([]byte, 333)); err != nil {
			t.Fatal(err)
		}
		if want := max(0, length-withheldLength); released != want || !bytes.Equal(passed.Bytes(), text) {
			t.Errorf("%d bytes: %d before, want %d; %d in all", length, released, want, passed.Len())
		}
		passed.Reset()
		refused := (&Attempt{}).HoldLastBytes(io.NopCloser(bytes.NewReader(text)))
		refused.(*tailHolder).release = func() error { return io.ErrClosedPipe }
		if _, err := io.Copy(&passed, refused); err == nil || passed.Len() != max(0, length-withheldLength) {
			t.Errorf("%d bytes, refused: %d passed, %v", length, passed.Len(), err)
		}
	}
}
