package signing

import (
	"encoding/base64"
	"strings"
	"testing"
)

// pdf64 is the file of a document.
const pdf64 = `"base64Content":"JVBERi0xLjcKeA=="`

func TestDocuments(t *testing.T) {
	around(`{"name":"a","documents":[{`+pdf64+`,%s}]}`, "/documents/0", verdicts{
		{`"x":1`, ""}, {`"name":"a.pdf"`, ""}, {`"name":null`, ""}, {`"name":""`, "/name"}, {`"name":7`, "/name"}, {`"name":"` + long255 + `"`, ""}, {`"name":"` + long256 + `"`, "/name"},
		{`"name":"a*b"`, "/name"}, {`"name":"a/b"`, "/name"}, {`"name":"a\\b"`, "/name"}, {`"name":"a:b"`, "/name"}, {`"name":"a<b"`, "/name"}, {`"name":"a>b"`, "/name"},
		{`"name":"a|b"`, "/name"}, {`"name":"a?b"`, "/name"}, {`"name":"a\"b"`, "/name"}, {`"name":"a\u002fb"`, "/name"}, {`"name":"Vertrag (ü) 1.2 #3%"`, ""},
		{`"id":"d1"`, ""}, {`"id":""`, ""}, {`"id":"visibility"`, "/id"}, {`"id":"zip"`, "/id"}, {`"id":"approvals"`, "/id"}, {`"id":"signConfirm"`, "/id"},
		{`"id":"signed_documents"`, "/id"}, {`"id":"localize-consent"`, "/id"}, {`"id":"Zip"`, ""}, {`"id":9`, "/id"}, {`"id":"default-consent"`, ""},
		{`"id":"a/b"`, "/id"}, {`"id":"."`, "/id"}, {`"id":".."`, "/id"}, {`"id":"ü"`, "/id"}, {`"id":null`, ""}, {`"id":"Az09._=@+~ -"`, ""}, {`"id":"` + strings.Repeat("a", 256) + `"`, "/id"},
		{`"extract":true`, ""}, {`"extract":"true"`, "/extract"}, {`"extract":1`, "/extract"}, {`"external":null`, ""},
		{`"approvals":{}`, "/approvals"}, {`"approvals":[]`, ""}, {`"approvals":[1]`, "/approvals/0"}, {`"approvals":[{}]`, "/approvals/0/role"},
	}).run(t, CheckPackage, Context{})
	around(`{"name":"a","documents":[%s]}`, "/documents", verdicts{
		{`{}`, "."}, {`{"name":"a"}`, "."}, {`{"external":{"id":"x"}}`, ""}, {`{"external":{}},{` + pdf64 + `}`, ""}, {`{` + pdf64 + `},{}`, "."}, {`{"base64Content":null}`, "."},
	}).run(t, CheckPackage, Context{})
}

func TestDocuments_Base64Content(t *testing.T) {
	in := func(content string) string { return `"` + base64.StdEncoding.EncodeToString([]byte(content)) + `"` }
	long := strings.Repeat("Lorem ipsum dolor ü. ", 20_000)
	parts := verdicts{
		{in("%PDF-1.7\n\x00\x01"), ""}, {in("\r\n%PDF-1.7\n\x00"), ""}, {in("\ufeff%PDF-1.7\n\x00"), ""}, {in("\x00%PDF-1.7"), "."}, {in("GIF89a\x00%PDF-1.7"), "."}, {in("{\\rtf1"), ""}, {in("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\x00\x00"), ""}, {in("hello\tyou\r\n\f"), ""}, {in("\ufeffhello ü"), ""},
		{in(zipped("[Content_Types].xml", "")), ""}, {in(zipped("word/document.xml", "")), ""}, {in(zipped("mimetype", "application/vnd.oasis.opendocument.text")), ""},
		{in(zipped("mimetype", "application/vnd.oasis.opendocument.spreadsheet")), "."}, {in(zipped("a.txt", "")), "."}, {in(zipped("xl/workbook.xml", "")), "."},
		{in("PK\x03\x04"), ""}, {in("PK\x05\x06\x00\x00"), "."}, {in(long), ""}, {in(long + "\x00"), "."}, {in("%PDF-1.7" + strings.Repeat("\x00", 300_000)), ""},
		{in("\x89PNG\r\n\x1a\n"), "."}, {in("GIF89a\x01\x00"), "."}, {in("MZ\x90\x00"), "."}, {in("\x7fELF"), "."}, {in("a\x00b"), "."}, {in("\xff\xfe"), "."}, {in("a\xc3"), "."},
		{in(strings.Repeat("a", 511) + "ü"), ""}, {in(strings.Repeat("a", 700) + "\xff"), "."}, {in(strings.Repeat("\x00", 700)), "."}, {in("a\u0085b"), ""}, {in("a\u009fb"), "."},
		{`""`, "."}, {`"%%%%"`, "."}, {`"JVBERi0x"`, ""}, {`"JVBERi0xLjc"`, "."}, {`"JVBERi0xLjc="`, ""}, {`"JVBERi0xLjc=="`, "."}, {`"JVBERi0xLjc=JVBERi0xLjc="`, "."},
		{`"JVBE\r\nRi0x\nLjc="`, ""}, {`"JVBE Ri0xLjc="`, "."}, {`"\u004aVBERi0xLjc="`, ""}, {`"JVBERi0xL\/8="`, ""}, {`"JVBERi0xL-8="`, "."}, {`"====` + `"`, "."}, {`"=JVBERi0xLjc"`, "."},
		{`"data:application/pdf;base64,JVBERi0xLjc="`, "."}, {`5`, "."}, {`{}`, "."}, {`"field.file"`, "."}, {`"ü"`, "."}, {`"` + strings.Repeat("A", 9001) + `"`, "."},
	}
	around(`{"name":"a","documents":[{"base64Content":%s}]}`, "/documents/0/base64Content", parts).run(t, CheckPackage, Context{})
	around(`{"name":"a","documents":[{"base\u00364Content" : %s}]}`, "/documents/0/base64Content", parts).run(t, CheckPackage, Context{})
	around(`{"base64Content":%s}`, "/base64Content", parts).run(t, CheckDocuments, Context{})
	around(`[{"external":{"id":"x"}},{"base64Content":%s}]`, "/1/base64Content", parts).run(t, CheckDocuments, Context{})
	around(`{"base64Content":%s}`, "/base64Content", parts).run(t, CheckDocumentUpdate, Context{})
}

// zipped returns the beginning of an archive whose first entry is stored under name.
func zipped(name, content string) string {
	header := "PK\x03\x04\x14\x00\x00\x08\x00\x00" + strings.Repeat("\x00", 16) + string([]byte{byte(len(name)), 0, 0, 0})
	return header + name + content
}

func TestDocuments_OfStoredPackage(t *testing.T) {
	c := Context{Package: stored(t)}
	verdicts{
		{`{` + pdf64 + `,"approvals":[{"role":"r2"}]}`, ""}, {`{` + pdf64 + `,"approvals":[{"role":"r3"}]}`, "/approvals/0/role"}, {`{"name":"a"}`, ""}, {`"a"`, "malformed"},
		{`[{` + pdf64 + `,"id":"zip"},5]`, "/0/id /1"}, {`[]`, ""},
	}.run(t, func(p *Payload, c Context) error { p.attached = true; return CheckDocuments(p, c) }, c)
	verdicts{{`{"name":"a"}`, "malformed"}}.run(t, CheckList, c)
	verdicts{
		{`{"name":"b"}`, ""}, {`{"name":"a/b","id":"visibility"}`, "/id /name"}, {`[]`, "malformed"}, {`{"approvals":[{"role":"x"}]}`, "/approvals/0/role"},
		{`{"extract":true,"approvals":[{"role":"r1","fields":[{"extract":true,"name":"f"}]}]}`, "/approvals/0/fields/0/extract"},
		{`{"extract":true,` + pdf64 + `,"approvals":[{"role":"r1","fields":[{"extract":true,"name":"f"}]}]}`, ""},
	}.run(t, CheckDocumentUpdate, c)
	verdicts{{`[{"id":"d","index":0}]`, ""}, {`{}`, "malformed"}, {`[1,{},"a"]`, "/0 /2"}}.run(t, CheckList, c)
	verdicts{{`["a","b"]`, ""}, {`[]`, ""}, {`[1]`, "/0"}, {`{}`, "malformed"}}.run(t, CheckIDs, c)
	verdicts{{`{"a":1}`, ""}, {`[]`, "malformed"}, {`{"a":1,"a":1}`, "malformed"}}.run(t, CheckObject, c)
}

// A PDF with other data before it is refused with the reason, in whatever it comes.
func TestDocuments_DataBeforePDF(t *testing.T) {
	for content, want := range map[string]string{
		"\x1b%-12345X@PJL\r\n%PDF-1.7\x00": "field.pdf-header", "GIF89a\x00%PDF-1.7": "field.pdf-header",
		"------x\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.7\n\x00": "field.pdf-header", "\x00PDF": "field.file",
		strings.Repeat("@PJL COMMENT\r\n", 70) + "\x1b%PDF-1.7\x00":  "field.pdf-header",
		strings.Repeat("@PJL COMMENT\r\n", 140) + "\x1b%PDF-1.7\x00": "field.file", // no reader finds it
		"\ufeff\f\r\n %PDF-1.7\n\x00":                                "17",
	} {
		var f fileContent
		f.Take([]byte(base64.StdEncoding.EncodeToString([]byte(content))))
		if got := f.Result(); got != want {
			t.Errorf("%q: %s", content, got)
		}
	}
}
