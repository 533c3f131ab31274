package signing

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestValidation_Members(t *testing.T) {
	fieldOf(around(`"type":"INPUT","subtype":"TEXTFIELD","validation":%s`, "/validation", verdicts{
		{`null`, ""}, {`{}`, ""}, {`[]`, "."}, {`"x"`, "."}, {`true`, "."}, {`{"required":true}`, ""}, {`{"required":"true"}`, "/required"}, {`{"required":null}`, ""},
		{`{"errorMessage":"No."}`, ""}, {`{"minLength":0,"maxLength":0}`, ""}, {`{"minLength":2,"maxLength":2}`, ""}, {`{"minLength":3,"maxLength":2}`, "/minLength"}, {`{"minLength":3}`, ""},
		{`{"maxLength":3}`, ""}, {`{"minLength":-1}`, "/minLength"}, {`{"maxLength":-1}`, "/maxLength"}, {`{"minLength":"1"}`, "/minLength"}, {`{"maxLength":1.5}`, "/maxLength"}, {`{"minLength":1,"maxLength":null}`, ""},
		{`{"minLength":-2,"maxLength":-3}`, "/minLength /maxLength"}, {`{"pattern":""}`, ""}, {`{"pattern":null}`, ""}, {`{"pattern":5}`, "/pattern"},
		{`{"maxLength":1e30}`, ""}, {`{"maxLength":1e400,"minLength":1e30}`, ""}, {`{"maxLength":9223372036854775808}`, ""}, {`{"minLength":1e400,"maxLength":5}`, "/minLength"}, {`{"maxLength":-1e30}`, "/maxLength"},
		{`{"maxLength":-1e400}`, "/maxLength"}, {`{"maxLength":1e-2}`, "/maxLength"}, {`{"maxLength":50e-1}`, ""}, {`{"enum":["a",1]}`, "/enum/1"}, {`{"enum":[null,{},"b"]}`, "/enum/0 /enum/1"}, {`{"enum":"a"}`, "/enum"}, {`{"enum":null}`, ""},
		{`{"maxLength":2147483647,"minLength":0,"minimumRequired":0,"maximumRequired":0,"group":null,"pattern":"","errorCode":0,"enum":[]}`, ""},
	})).run(t, CheckPackage, Context{})
	fieldOf(verdicts{
		{`"type":"INPUT","subtype":"LIST"`, "/validation/enum"}, {`"subtype":"LIST","validation":{}`, "/validation/enum"}, {`"subtype":"LIST","validation":{"enum":[]}`, "/validation/enum"},
		{`"subtype":"LIST","validation":{"enum":null}`, "/validation/enum"}, {`"subtype":"LIST","validation":{"enum":"a"}`, "/validation/enum"}, {`"subtype":"LIST","validation":{"enum":["a"]}`, ""}, {`"subtype":"LIST","validation":{"enum":[7]}`, "/validation/enum/0"},
		{`"subtype":"LIST","validation":null`, "/validation/enum"}, {`"subtype":"RADIO"`, ""}, {`"subtype":"RADIO","validation":{"enum":["g"],"group":"g"}`, ""}, {`"subtype":"LIST","validation":7`, "/validation"},
		{`"subtype":"DATEPICKER","validation":{"pattern":"YYYY-MM-dd ("}`, ""}, {`"subtype":"DATEPICKER","validation":{"pattern":"` + strings.Repeat("Y", 10_001) + `"}`, "/validation/pattern"},
		{`"subtype":"DATE","validation":{"pattern":"("}`, "/validation/pattern"},
	}).run(t, CheckPackage, Context{})
}

func TestValidation_Patterns(t *testing.T) {
	good := []string{
		`^[\sa-zA-Z]+$`, `^[-+]?[0-9]*\.?[0-9]*$`, `^([a-z0-9_\.-]+)@([\da-z\.-]+)\.([a-z\.]{2,6})$`, `(?=.*\d)(?=.*[a-z]).{8,}`, `(?<!x)y`, `(?!a)b`, `(a)\1`, `(?<n>a)\k<n>`, `a++`,
		`(?>a+)b`, `[\s\da-z]`, `\p{L}+`, `(?i)abc`, `a{2,3}`, `(a{1000}){1000}`, `^(a+)+$`, strings.Repeat("a", 10_000), strings.Repeat("ü", 10_000), strings.Repeat("\U0001F600", 10_000),
	}
	bad := []string{`(`, `)`, `[a-`, `[z-a]`, `*a`, `a**`, `\`, `(?<n`, `\k<x>`, `(?P<n>`, `a{3,2}`, `(?<=`, strings.Repeat("a", 10_001), strings.Repeat("(", 10_000)}
	var parts verdicts
	for want, patterns := range map[string][]string{"": good, "/validation/pattern": bad} {
		for _, pattern := range patterns {
			quoted, err := json.Marshal(pattern)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, [2]string{fmt.Sprintf(`"validation":{"pattern":%s}`, quoted), want})
		}
	}
	parts = append(parts,
		[2]string{`"validation":{"pattern":"` + strings.Repeat(`\ud83d\ude00`, 10_000) + `"}`, ""},
		[2]string{`"validation":{"pattern":"` + strings.Repeat(`\u0061`, 10_001) + `"}`, "/validation/pattern"},
		[2]string{`"validation":{"pattern":"` + strings.Repeat(`\u0061`, 300_000)[:600_000] + `"}`, "/validation/pattern"})
	fieldOf(parts).run(t, CheckPackage, Context{})
}

func TestCustomFields(t *testing.T) {
	const en = `"translations":[{"language":"en","name":"a"}]`
	both := verdicts{
		{`{"value":"v","id":"a",` + en + `}`, ""}, {`{"value":"",` + en + `}`, "/value"}, {`{"value":" \t\u00a0\u3000",` + en + `}`, "/value"}, {`{"value":" v ",` + en + `}`, ""}, {`{"value":"v","translations":[{}]}`, ""}, {`{"value":"v","translations":[{"language":null}]}`, ""},
		{`{"value":"v"}`, "/translations"}, {`{"value":"v","translations":[]}`, "/translations"}, {`{"value":"v","translations":null}`, "/translations"}, {`{"value":"v","translations":{}}`, "/translations"},
		{`{"value":"v","translations":[5]}`, "/translations/0"}, {`{"value":"v","id":null,"required":true,` + en + `}`, ""}, {`{"value":"v","required":"x",` + en + `}`, "/required"},
		{`{"value":"v","id":7,` + en + `}`, "/id"}, {`{"value":"v","id":"a/b",` + en + `}`, "/id"}, {`{"value":"v","id":".",` + en + `}`, "/id"}, {`{"value":"v","id":"",` + en + `}`, ""},
		{`{"value":"v","id":"` + strings.Repeat("a", 256) + `",` + en + `}`, "/id"}, {`{"value":7,` + en + `}`, "/value"}, {`[]`, "malformed"},
		{`{"value":"v","translations":[{"language":"en"},{"language":"fr"},{"language":"en"}]}`, "/translations/2/language"}, {`{"value":"v","translations":[{},{"language":"EN"}]}`, "/translations/1/language"},
		{`{"value":"v","translations":[{"language":"de-at"},{"language":"de-AT"},{"language":"de"}]}`, "/translations/1/language"},
	}
	languages := around(`{"value":"v","translations":[{"language":%s}]}`, "/translations/0/language", verdicts{
		{`"de"`, ""}, {`"pt-BR"`, ""}, {`"zh-Hant-TW"`, ""}, {`"sr-Latn"`, ""}, {`"es-419"`, ""}, {`"x-klingon"`, ""}, {`""`, "."}, {`"english"`, "."}, {`"en_US"`, "."}, {`"not a language"`, "."},
		{`5`, "."}, {`"e"`, "."}, {`"en-"`, "."}, {`"en-USA-"`, "."}, {`"de DE"`, "."},
	})
	for _, check := range []Check{CheckCustomField, CheckCustomFieldUpdate} {
		both.run(t, check, Context{})
		languages.run(t, check, Context{})
	}
	verdicts{{`{` + en + `}`, "/value"}, {`{"value":null,` + en + `}`, "/value"}, {`{}`, "/value /translations"}}.run(t, CheckCustomField, Context{})
	verdicts{{`{` + en + `}`, ""}, {`{"id":"a","value":null,` + en + `}`, ""}, {`{}`, "/translations"}}.run(t, CheckCustomFieldUpdate, Context{})
}
