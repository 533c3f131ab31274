package signing

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"countersign/internal/fault"
)

// words returns a text of as many characters as the bound allows, and one a character
// longer.
func words(most int) (good, bad string) {
	return strings.Repeat("ü", most), strings.Repeat("ü", most) + "x"
}

// Limits on texts count characters or bytes: the longest good text and the shortest bad
// one are tested in each place.
func TestTexts_Bounded(t *testing.T) {
	name, noName := words(255)
	prose, noProse := words(4000)
	text, noText := words(32 << 10)
	emoji, escaped, noEscaped := strings.Repeat(`\ud83d\ude00`, 4000), strings.Repeat(`\u00fc`, 32<<10), strings.Repeat(`\u00fc`, 32<<10)+`\n`
	for _, c := range []struct {
		check     Check
		format    string
		pointer   string
		good, bad string
	}{
		{CheckPackage, `{"name":"%s"}`, "/name", name, noName}, {CheckPackage, `{"name":"a","description":"%s"}`, "/description", prose, noProse},
		{CheckPackage, `{"name":"a","description":"%s"}`, "/description", emoji, emoji + "a"}, {CheckPackage, `{"name":"a","emailMessage":"%s"}`, "/emailMessage", prose, noProse},
		{CheckClone, `{"name":"%s"}`, "/name", name, noName}, {CheckClone, `{"emailMessage":"%s"}`, "/emailMessage", prose, noProse},
		{CheckPackageUpdate, `{"description":"%s"}`, "/description", prose, noProse},
		{CheckPackageUpdate, `{"messages":[{"content":"%s"}]}`, "/messages/0/content", text, noText},
		{CheckPackageUpdate, `{"x":{"y/~z":["","%s"]}}`, "/x/y~1~0z/1", text, noText}, {CheckPackageUpdate, `{"x":["%s"]}`, "/x/0", escaped, noEscaped},
		{CheckPackageUpdate, `{"x":{"a":1,"%s":"v"}}`, "/x", text, noText}, {CheckPackageUpdate, `{"a":"%[1]s","%[1]s":{}}`, "/a ", text, noText},
		{CheckPackageUpdate, `{"base64Content":"%s"}`, "/base64Content", strings.Repeat("AAAA", 16<<10), strings.Repeat("AAAA", 16<<10) + "AAAA"},
		{CheckPackageUpdate, `{"x":[{"base64Content":"%s"}]}`, "/x/0/base64Content", "AAAA", strings.Repeat("AAAA", 1<<18)},
		{CheckRoleUpdate, `{"name":"%s"}`, "/name", name, noName},
		{CheckRoleUpdate, `{"emailMessage":{"content":"%s"}}`, "/emailMessage/content", prose, noProse}, {CheckRoleUpdate, `{"emailMessage":"%s"}`, "/emailMessage", prose, noProse},
		{CheckRoles, `[{"id":"r"},{"signers":[{"firstName":"%s"}]}]`, "/1/signers/0/firstName", name, noName},
		{CheckRoleUpdate, `{"signers":[{"firstName":"%s"}]}`, "/signers/0/firstName", name, noName}, {CheckRoleUpdate, `{"signers":[{"lastName":"%s"}]}`, "/signers/0/lastName", name, noName},
		{CheckRoleUpdate, `{"signers":[{"title":"%s"}]}`, "/signers/0/title", name, noName}, {CheckRoleUpdate, `{"signers":[{"company":"%s"}]}`, "/signers/0/company", name, noName},
		{CheckRoleUpdate, `{"signers":[{"name":"%s"}]}`, "/signers/0/name", name, noName}, {CheckRoleUpdate, `{"signers":[{"language":"%s"}]}`, "/signers/0/language", text, noText},
		{CheckDocuments, `{"external":{},"name":"%s"}`, "/name", name, noName}, {CheckDocuments, `[{"external":{},"description":"%s"}]`, "/0/description", text, noText},
		{CheckDocumentUpdate, `{"description":"%s"}`, "/description", text, noText}, {CheckDocumentUpdate, `{"data":{"a":"%s"}}`, "/data/a", text, noText},
		{CheckApprovalUpdate, `{"name":"%s"}`, "/name", text, noText}, {CheckFieldUpdate, `{"value":"%s"}`, "/value", text, noText},
		{CheckFieldUpdate, `{"validation":{"errorMessage":"%s"}}`, "/validation/errorMessage", text, noText}, {CheckFieldUpdate, `{"validation":{"enum":["a","%s"]}}`, "/validation/enum/1", text, noText},
		{CheckNotification, `{"message":"%s"}`, "/message", prose, noProse}, {CheckObject, `{"a":"%s"}`, "/a", text, noText}, {CheckList, `[{"a":"%s"}]`, "/0/a", text, noText},
		{CheckIDs, `["%s"]`, "/0", text, noText}, {CheckAny, `[{"%s":0}]`, "/0", text, noText},
		{CheckCustomField, `{"value":"%s","translations":[{}]}`, "/value", text, noText},
	} {
		for value, want := range map[string]string{c.good: "", c.bad: c.pointer} {
			payload := fmt.Sprintf(c.format, value)
			if got := judged(t, c.check, payload, Context{}); got != want {
				t.Errorf("%.50s… of %d bytes is refused for %q, want %q", c.format, len(value), got, want)
			}
		}
	}
	verdicts{{`"` + noText + `"`, "."}, {`"` + text + `"`, ""}}.run(t, dotted(CheckAny), Context{})
}

// dotted is check with "." for the payload's own pointer, which is empty.
func dotted(check Check) Check {
	return func(p *Payload, c Context) error {
		err := check(p, c)
		f := fault.From(err)
		for i := range f.Fields {
			f.Fields[i].Pointer = cmp.Or(f.Fields[i].Pointer, ".")
		}
		return err
	}
}

// The data that a client stores is limited in bytes of UTF-8, without escapes and white
// space, and without Countersign's own.
func TestData_Bounded(t *testing.T) {
	for _, c := range []struct{ before, filler, after string }{
		{`{"a":"`, "x", `"}`}, {`{"a":"`, "ü", `"}`}, {`{"a":"`, `\u00fc`, `"}`}, {`{"a":"`, `\ud83d\ude00`, `"}`}, {`{"a":"`, `\n`, `"}`},
		{`{"`, "x", `":null}`}, {`{"a":[1,{"b":true}], "c" : 12.50,"d":"`, "x", `"}`}, {`{"countersign":null,"a":"`, "x", `"}`},
	} {
		plain := map[string]int{"x": 1, "ü": 2, `\u00fc`: 2, `\ud83d\ude00`: 4, `\n`: 1}[c.filler]
		frame := len(strings.ReplaceAll(strings.ReplaceAll(c.before, `"countersign":null,`, ""), " ", "") + c.after)
		count := (16<<10 - frame) / plain
		for more, want := range map[int]string{0: "", 1: "/data"} {
			payload := `{"name":"a","description":"` + strings.Repeat("d", 3000) + `","data":` + c.before + strings.Repeat(c.filler, count+more) + c.after + `}`
			for _, check := range []Check{CheckPackage, CheckPackageUpdate, CheckClone} {
				if got := judged(t, check, payload, Context{}); got != want {
					t.Errorf("%s%s… with %d more is refused for %q, want %q", c.before, c.filler, more, got, want)
				}
			}
		}
	}
	verdicts{
		{`{"data":{"base64Content":"` + strings.Repeat("AAAA", 5000) + `"}}`, "/data"}, {`{"data":[` + strings.Repeat("1,", 9000) + `1]}`, "/data"},
		{`{"documents":[{"id":"d","external":{},"data":{"a":"` + strings.Repeat("x", 20_000) + `"}}]}`, ""},
	}.run(t, CheckPackageUpdate, Context{})
}

// numbered returns n elements, each with its number in it.
func numbered(format string, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return "[" + strings.Join(all, ",") + "]"
}
