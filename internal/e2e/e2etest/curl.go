package e2etest

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// curl sends a request as curl does with these arguments, and judges the answer.
func (y *Typist) curl(arguments []string) {
	y.t.Helper()
	y.curls++
	method, address, saved, kind := "", "", "", ""
	var body bytes.Buffer
	header, form := http.Header{}, multipart.NewWriter(&body)
	for i := 0; i < len(arguments); i++ {
		next := func() string { i++; return arguments[i] }
		switch arguments[i] {
		case "-s":
		case "-X":
			method = next()
		case "-H":
			name, value, _ := strings.Cut(next(), ": ")
			header.Set(name, value)
		case "--json":
			body.Write(y.data(next()))
			kind = "application/json"
		case "-F":
			y.part(form, next())
			kind = form.FormDataContentType()
		case ">":
			saved = filepath.Join(y.folder, next())
		default:
			address = strings.NewReplacer("http://localhost:8080", y.client.App.URL(), "http://127.0.0.1:8081", y.client.App.SandboxURL()).Replace(arguments[i])
		}
	}
	if kind == form.FormDataContentType() {
		form.Close()
	}
	if method == "" {
		method = map[bool]string{true: http.MethodGet, false: http.MethodPost}[kind == ""]
	}
	if kind != "" {
		header.Set("Content-Type", kind)
	}
	r := y.send(method, address, header, &body)
	if saved != "" {
		if err := os.WriteFile(saved, r.Body, 0o600); err != nil {
			y.t.Fatal(err)
		}
	}
	y.judge(r)
}

func (y *Typist) send(method, address string, header http.Header, body io.Reader) Reply {
	y.t.Helper()
	request, err := http.NewRequestWithContext(y.t.Context(), method, address, body)
	if err != nil {
		y.t.Fatal(err)
	}
	request.Header = header
	if !strings.HasPrefix(address, y.client.App.URL()+"/") {
		return Plain(y.t).Do(request) // the sandbox has no OpenAPI document
	}
	y.asked = append(y.asked, method+" "+request.URL.Path)
	return y.client.Do(request)
}

// data returns the body that --json sends: the text, or the file after an @.
func (y *Typist) data(argument string) []byte {
	y.t.Helper()
	if name, isFile := strings.CutPrefix(argument, "@"); isFile {
		return y.file(name)
	}
	return []byte(argument)
}

// part adds an argument of -F to a form: name=text, or name=@file.
func (y *Typist) part(form *multipart.Writer, argument string) {
	y.t.Helper()
	name, text, _ := strings.Cut(argument, "=")
	file, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		_ = form.WriteField(name, text)
		return
	}
	w, err := form.CreateFormFile(name, file)
	if err != nil {
		y.t.Fatal(err)
	}
	_, _ = w.Write(y.file(file))
}
