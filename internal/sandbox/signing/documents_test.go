package signing_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestDocuments_AddedAndDeleted(t *testing.T) {
	c := start(t)
	path := c.create(object{"name": "Loan", "roles": []object{signerRole("a", "ada@example.org")}})
	one := c.upload("POST", path+"/documents", object{"id": "one", "name": "One", "approvals": []object{{"role": "a", "signed": "2020-01-01T00:00:00Z"}}}, "payload file", blankPDF+"1").ok()
	for member, want := range map[string]any{
		"id": "one", "name": "One", "size": len(blankPDF) + 1, "description": "", "extract": false, "extractionTypes": []any{}, "tagged": false,
		"externalSigned": false, "fields": []any{}, "pages": []any{}, "index": 0, "approvals.0.role": "a", "approvals.0.signed": nil,
	} {
		same(t, member, at(t, one, member), want)
	}
	several := c.upload("POST", path+"/documents", []object{{"name": "Two"}, {"name": "Three"}}, "file payload file", blankPDF+"22", blankPDF+"333")
	if several.status != http.StatusOK || !strings.HasPrefix(several.text, "[{") {
		t.Fatalf("%d %s", several.status, several.text)
	}
	four := c.post(path+"/documents", object{"name": "Four", "base64Content": base64.StdEncoding.EncodeToString([]byte(blankPDF))}).ok()["id"].(string)
	documents := c.get(path).ok()["documents"].([]any)
	same(t, "documents, the consent included", len(documents), 5)
	same(t, "approvals have ids", at(t, documents, "1.approvals.0.id") != "", true)

	c.put(path+"/documents", []object{{"id": "one", "index": 9}}).empty()
	same(t, "the last", at(t, c.get(path).ok(), "documents.4.id"), "one")
	c.delete(path + "/documents/one").empty()
	c.send("DELETE", path+"/documents", "application/json", strings.NewReader(`["`+four+`"]`)).empty()
	same(t, "documents", len(c.get(path).ok()["documents"].([]any)), 3)
	for _, gone := range []answer{
		c.get(path + "/documents/one"), c.get(path + "/documents/one/pdf"), c.delete(path + "/documents/one"), c.put(path+"/documents/one", object{}),
		c.send("DELETE", path+"/documents", "application/json", strings.NewReader(`["one"]`)),
		c.put(path+"/documents", []object{{"id": "one"}}),
	} {
		gone.refused(http.StatusNotFound, "error.notFound.documentNotFound")
	}
	c.delete(path + "/documents/default-consent").empty()
	same(t, "the consent stays", at(t, c.get(path).ok(), "documents.0.id"), "default-consent")
}

func TestDocuments_Refused(t *testing.T) {
	c := start(t)
	path := c.create(object{"name": "Loan"})
	const malformed, invalid = "error.validation.payload.malformed", "error.validation.payload.invalid"
	c.upload("POST", path+"/documents", object{"name": "A"}, "payload").refused(http.StatusBadRequest, malformed)
	c.upload("POST", path+"/documents", []object{{"name": "A"}}, "payload file file", blankPDF, blankPDF).refused(http.StatusBadRequest, malformed)
	c.upload("POST", path+"/documents", object{"name": "A", "approvals": []object{{"role": "none"}}}, "payload file", blankPDF).refused(http.StatusBadRequest, invalid)
	c.upload("POST", path+"/documents", []object{{"id": "x"}, {"id": "x"}}, "payload file file", blankPDF, blankPDF).refused(http.StatusBadRequest, invalid)
	c.upload("POST", path+"/documents", object{"name": "A"}, "payload file", "").refused(http.StatusBadRequest, "error.validation.document.unsupportedFormat")
	c.post(path+"/documents", object{"name": "A", "base64Content": "***"}).refused(http.StatusBadRequest, malformed)
	c.upload("POST", path+"/documents", object{"id": "a"}, "payload file", blankPDF).ok()
	c.put(path, object{"status": "SENT"}).empty()
	for _, late := range []answer{
		c.upload("POST", path+"/documents", object{"name": "A"}, "payload file", blankPDF), c.delete(path + "/documents/a"), c.put(path+"/documents/a", object{"name": "B"}),
	} {
		late.refused(http.StatusBadRequest, "error.validation.package.invalidState")
	}
	same(t, "documents", len(c.get(path).ok()["documents"].([]any)), 2)
}

// What is refused leaves a stored signature.
func TestDocument_SignatureStaysWhenUpdateRefused(t *testing.T) {
	c := start(t)
	path := c.create(object{"name": "Loan", "autocomplete": false, "roles": []object{signerRole("a", "ada@example.org")}})
	c.upload("POST", path+"/documents", object{"id": "one", "approvals": []object{{"id": "p", "role": "a"}}}, "payload file", blankPDF).ok()
	c.put(path, object{"status": "SENT"}).empty()
	c.as(path, "a").post(path+"/documents/signed_documents", object{"documents": []object{{"id": "one"}}}).empty()
	signed := at(t, c.get(path).ok(), "documents.1.approvals.0.signed")
	c.put(path+"/documents/one", object{"name": "B"}).refused(http.StatusBadRequest, "error.validation.package.invalidState")
	if got := at(t, c.get(path).ok(), "documents.1.approvals.0.signed"); signed == nil || got != signed {
		t.Errorf("signed %v, afterwards %v", signed, got)
	}
}

func TestDocument_PartialUpdate(t *testing.T) {
	c := start(t)
	path := c.create(object{"name": "Loan", "roles": []object{signerRole("a", "ada@example.org")}})
	c.upload("POST", path+"/documents", object{"id": "one", "name": "One", "description": "first", "approvals": []object{{"role": "a"}}}, "payload file", blankPDF).ok()
	updated := c.put(path+"/documents/one", object{"id": "other", "size": 1, "description": "second"}).ok()
	for member, want := range map[string]any{"id": "one", "name": "One", "description": "second", "size": len(blankPDF), "approvals.0.role": "a"} {
		same(t, member, at(t, updated, member), want)
	}
	replaced := c.upload("POST", path+"/documents/one", object{"name": "New"}, "file payload", blankPDF+"more").ok()
	same(t, "size", replaced["size"], len(blankPDF)+4)
	same(t, "content", c.get(path+"/documents/one/original").text, blankPDF+"more")
	same(t, "read again", c.get(path + "/documents/one").ok()["name"], "New")
	c.upload("POST", path+"/documents/one", object{}, "payload file", "GIF89a\x00").refused(http.StatusBadRequest, "error.validation.document.unsupportedFormat")
	c.upload("POST", path+"/documents/one", object{}, "payload file file", blankPDF, blankPDF).refused(http.StatusBadRequest, "error.validation.payload.malformed")
	same(t, "content", c.get(path+"/documents/one/pdf").text, blankPDF+"more")
}

func TestDownloads_ContentTypeAndName(t *testing.T) {
	c := start(t)
	path := c.create(object{"name": "Loan"})
	c.upload("POST", path+"/documents", object{"id": "one", "name": "Büro a/b.pdf"}, "payload file", blankPDF).ok()
	a := c.get(path + "/documents/one/pdf?flatten=true")
	same(t, "content", a.text, blankPDF)
	same(t, "type", a.header.Get("Content-Type"), "application/octet-stream")
	same(t, "name", a.header.Get("Content-Disposition"), "attachment; filename*=UTF-8''B%C3%BCro%20a_b.pdf")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+path+"/documents/one/pdf", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]struct {
		value  string
		status int
		text   string
	}{"Range": {"bytes=1-3", http.StatusPartialContent, "PDF"}, "If-None-Match": {a.header.Get("ETag"), http.StatusNotModified, ""}} {
		r.Header = http.Header{header: {want.value}}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != want.status || string(text) != want.text {
			t.Errorf("%s: %d %q (%v)", header, response.StatusCode, text, err)
		}
	}
	if text := c.get(path + "/documents/default-consent/pdf").text; !strings.HasPrefix(text, "%PDF-") || !strings.HasSuffix(text, "%%EOF\n") {
		t.Errorf("the consent is %q", text)
	}
	same(t, "an archive of a draft", c.get(path+"/documents/zip").status, http.StatusOK)

	done := "/api/packages/" + c.manage("POST", "packages", object{"count": 1, "status": "COMPLETED"}).ok()["ids"].([]any)[0].(string)
	zipped := c.get(done + "/documents/zip")
	archive, err := zip.NewReader(bytes.NewReader([]byte(zipped.text)), int64(len(zipped.text)))
	if err != nil || zipped.header.Get("Content-Type") != "application/zip" {
		t.Fatalf("%d %s (%v)", zipped.status, zipped.header, err)
	}
	same(t, "in the archive", archive.File[0].Name, "Electronic Disclosures and Signatures Consent.pdf")
	external := c.create(object{"name": "Loan", "documents": []object{{"id": "far", "external": object{"id": "1"}}}})
	c.get(external+"/documents/far/pdf").refused(http.StatusNotFound, "error.notFound.documentNotFound")
}

// The account takes so many documents of a package, and so many bytes of one.
func TestDocuments_AccountLimits(t *testing.T) {
	c := start(t)
	document := func(size int) object {
		return object{"name": "d", "base64Content": []byte(strings.Repeat("a", size))}
	}
	documents := func(n int) (all []object) {
		for range n {
			all = append(all, document(1))
		}
		return all
	}
	path := c.create(object{"name": "ten", "documents": documents(10)})
	c.post(path+"/documents", document(1)).refused(http.StatusBadRequest, "error.validation.documents.tooMany")
	c.post("/api/packages", object{"name": "eleven", "documents": documents(11)}).refused(http.StatusBadRequest, "error.validation.documents.tooMany")
	c.manage("PUT", "account", object{"maxDocuments": 11, "maxDocumentSize": 100})
	c.post(path+"/documents", document(101)).refused(http.StatusBadRequest, "error.validation.document.tooLarge")
	c.post(path+"/documents", document(100)).ok()
	c.put(path+"/documents/"+c.get(path).ok()["documents"].([]any)[1].(object)["id"].(string), document(101)).refused(http.StatusBadRequest, "error.validation.document.tooLarge")
	for _, body := range []object{{"maxDocuments": 0}, {"maxDocuments": 101}, {"maxDocumentSize": 0}, {"maxDocumentSize": 256<<20 + 1}} {
		same(t, "refused", c.call("PUT", "/_manage/account", body).status, http.StatusBadRequest)
	}
}

// Documents of equal names have names of their own in an archive.
func TestArchive_DocumentsOfEqualNames(t *testing.T) {
	c := start(t)
	document := func(id, name string) object { return object{"id": id, "name": name, "base64Content": "JVBERi0="} }
	path := c.create(object{"name": "a", "documents": []object{document("a", "Lease"), document("b", "lease.pdf"), document("c", "Lease"), document("d", "Lease (2)")}})
	zipped := c.get(path + "/documents/zip")
	archive, err := zip.NewReader(bytes.NewReader([]byte(zipped.text)), int64(len(zipped.text)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range archive.File[1:] {
		names = append(names, one.Name)
	}
	same(t, "names", strings.Join(names, ", "), "Lease.pdf, lease (2).pdf, Lease (3).pdf, Lease (2) (2).pdf")
}
