package signing

import (
	"strings"
	"testing"
)

// person is the members that a new signer needs beside the e-mail address.
const person = `"firstName":"A","lastName":"B"`

func TestRoles_OfPackage(t *testing.T) {
	around(`{"name":"a","roles":[%s]}`, "/roles", verdicts{
		{``, ""}, {`{}`, ""}, {`{"id":"r"}`, ""}, {`{"id":""},{"id":""}`, ""}, {`{"id":null}`, ""}, {`{"id":"` + strings.Repeat("a", 255) + `"}`, ""},
		{`{"id":"Az09._=@+~ -"}`, ""}, {`{"id":"` + strings.Repeat("a", 256) + `"}`, "/0/id"}, {`{"id":"a/b"}`, "/0/id"}, {`{"id":".."}`, "/0/id"}, {`{"id":"."}`, "/0/id"},
		{`{"id":"ü"}`, "/0/id"}, {`{"id":7}`, "/0/id"}, {`{"id":"a\n"}`, "/0/id"}, {`{"id":"a%2f"}`, "/0/id"},
		{`{"id":"r"},{"id":"s"},{"id":"r"}`, "/2/id"}, {`{"id":"r"},{"id":"R"}`, ""}, {`{"id":"r"},{"id":"r"},{"id":"r"}`, "/1/id /2/id"},
		{`{"type":"SIGNER"}`, ""}, {`{"type":"SENDER"}`, ""}, {`{"type":"signer"}`, "/0/type"}, {`{"type":null}`, ""}, {`{"type":""}`, "/0/type"},
		{`{"reassign":true}`, ""}, {`{"reassign":"no"}`, "/0/reassign"}, {`{"signers":{}}`, "/0/signers"}, {`{"signers":[1]}`, "/0/signers/0"}, {`{"signers":[]}`, ""},
	}).run(t, CheckPackage, Context{})
	around(`{"name":"a","status":"SENT","roles":[%s]}`, "/roles", verdicts{
		{`{}`, "/0/signers"}, {`{"signers":[]}`, "/0/signers"}, {`{"signers":null}`, "/0/signers"}, {`{"type":"SENDER"}`, ""}, {`{"type":"SIGNER"},{}`, "/0/signers /1/signers"},
		{`{"signers":[{"email":"a@b.co",` + person + `}]}`, ""},
	}).run(t, CheckPackage, Context{})
	verdicts{
		{`{"name":"a","status":"SENT","type":"template","roles":[{}]}`, ""}, {`{"name":"a","status":"SENT"}`, ""},
	}.run(t, CheckPackage, Context{})
}

func TestSigners(t *testing.T) {
	local := strings.Repeat("a", 64)
	domain := strings.Repeat("b", 60) + "." + strings.Repeat("c", 60) + "." + strings.Repeat("d", 60)
	around(`{"name":"a","roles":[{"signers":[%s]}]}`, "/roles/0/signers", verdicts{
		{`{}`, "/0/email /0/firstName /0/lastName"}, {`{"email":"","firstName":"","lastName":""}`, "/0/email /0/firstName /0/lastName"},
		{`{"email":null,` + person + `}`, "/0/email"}, {`{"email":"a@b.co","firstName":1,"lastName":"B"}`, "/0/firstName"},
	}).run(t, CheckPackage, Context{})
	around(`{"name":"a","roles":[{"signers":[{`+person+`,"email":%s}]}]}`, "/roles/0/signers/0/email", verdicts{
		{`"a@b.co"`, ""}, {`"A.b+c@B.Co"`, ""}, {`"ö@b.co"`, ""}, {`"` + local + `@` + domain + `.co"`, ""}, {`5`, "."}, {`["a@b.co"]`, "."},
		{`"a"`, "."}, {`"a@"`, "."}, {`"@b.co"`, "."}, {`"a@b.co,c@d.co"`, "."}, {`"A <a@b.co>"`, "."}, {`"<a@b.co>"`, "."}, {`"a@b.co "`, "."},
		{`" a@b.co"`, "."}, {`"a@b.co\r\nBcc: x@y.co"`, "."}, {`"a@b..co"`, "."}, {`"a b@c.co"`, "."}, {`"a@b.co (x)"`, "."}, {`"a;b@c.co;d@e.co"`, "."},
		{`"` + local + `@` + domain + `.` + strings.Repeat("e", 20) + `"`, "."}, {`"a@example.com"`, ""},
		{`"\u212a@b.co"`, "."}, {`"a\uff20b.co"`, "."}, {`"a@b\u3002co"`, "."}, {`"a@b\uff0eco"`, "."}, {`"a\u200b@b.co"`, "."}, {`"a\u00a0@b.co"`, "."}, {`"U\u0308@b.co"`, "."},
	}).run(t, CheckPackage, Context{})
	around(`{"name":"a","roles":[{"signers":[{`+person+`,"email":%s}]}]}`, "/roles/0/signers/0/email", verdicts{
		{`"a@b.co"`, ""}, {`"a@example.com"`, "."}, {`"a@Example.NET"`, "."}, {`"a@example.org"`, "."}, {`"a@mail.example.org"`, "."}, {`"a@x.example"`, "."},
		{`"a@x.test"`, "."}, {`"a@x.INVALID"`, "."}, {`"a@localhost"`, "."}, {`"a@x.localhost"`, "."}, {`"a@myexample.com"`, ""}, {`"a@example.co"`, ""},
		{`"a@example.com.de"`, ""}, {`"a@contest"`, ""}, {`"test@invalid.co"`, ""},
	}).run(t, CheckPackage, Context{Production: true})
	verdicts{
		{`{"name":"a","roles":[{"signers":[{` + person + `,"email":"a@b.co"},{` + person + `,"email":"A@B.co"}]}]}`, "/roles/0/signers/1/email"},
		{`{"name":"a","roles":[{"signers":[{` + person + `,"email":"a@b.co"}]},{"signers":[{` + person + `,"email":"a@b.CO"}]}]}`, "/roles/1/signers/0/email"},
		{`{"name":"a","roles":[{"signers":[{` + person + `,"email":"ü@b.co"},{` + person + `,"email":"Ü@b.co"}]}]}`, ""},
		{`{"name":"a","roles":[{"signers":[{` + person + `,"email":"a@bücher.co"},{` + person + `,"email":"a@xn--bcher-kva.co"}]}]}`, ""},
	}.run(t, CheckPackage, Context{})
}

func TestCheckNotification_Violations(t *testing.T) {
	verdicts{
		{`{}`, ""}, {`{"email":null,"message":null}`, ""}, {`{"email":"al@b.co","message":"Please"}`, ""}, {`[]`, "malformed"},
		{`{"email":"al","message":5}`, "/email /message"}, {`{"email":""}`, "/email"}, {`{"email":"a\u200bl@b.co"}`, "/email"}, {`{"email":["al@b.co"]}`, "/email"},
	}.run(t, CheckNotification, Context{Package: stored(t)})
	verdicts{{`{"email":"al@example.com"}`, "/email"}}.run(t, CheckNotification, Context{Production: true})
}

func TestSigner_PhoneAndNotificationMethods(t *testing.T) {
	around(`{"name":"a","roles":[{"signers":[{"email":"a@b.co",`+person+`,%s}]}]}`, "/roles/0/signers/0", verdicts{
		{`"phone":""`, ""}, {`"phone":null`, ""}, {`"phone":"+15145550100"`, ""}, {`"phone":"+493012345678"`, ""}, {`"phone":"+8613812345678"`, ""}, {`"phone":"+390612345678"`, ""},
		{`"phone":"15145550100"`, "/phone"}, {`"phone":"+1 514 555 0100"`, "/phone"}, {`"phone":"+12"`, "/phone"}, {`"phone":"+999123456789"`, "/phone"},
		{`"phone":"+1514555010055555"`, "/phone"}, {`"phone":"+15145550100;ext=5"`, "/phone"}, {`"phone":"+440791112345"`, "/phone"}, {`"phone":15145550100`, "/phone"},
		{`"phone":"abc"`, "/phone"}, {`"phone":"tel:+15145550100"`, "/phone"}, {`"phone":"+1-800-FLOWERS"`, "/phone"},
		{`"notificationMethods":null`, ""}, {`"notificationMethods":{}`, ""}, {`"notificationMethods":{"primary":null}`, ""}, {`"notificationMethods":{"primary":["EMAIL"]}`, ""},
		{`"notificationMethods":[]`, "/notificationMethods"}, {`"notificationMethods":{"primary":[]}`, "/notificationMethods/primary"},
		{`"notificationMethods":{"primary":["email"]}`, "/notificationMethods/primary"}, {`"notificationMethods":{"primary":"EMAIL"}`, "/notificationMethods/primary"},
		{`"notificationMethods":{"primary":["EMAIL","EMAIL"]}`, "/notificationMethods/primary"}, {`"notificationMethods":{"primary":["EMAIL","FAX"]}`, "/notificationMethods/primary"},
		{`"notificationMethods":{"primary":[null]}`, "/notificationMethods/primary"}, {`"notificationMethods":{"primary":["EMAIL","SMS","EMAIL"]}`, "/notificationMethods/primary /phone"},
		{`"notificationMethods":{"primary":["SMS"]}`, "/phone"}, {`"phone":"","notificationMethods":{"primary":["SMS","EMAIL"]}`, "/phone"},
		{`"phone":null,"notificationMethods":{"primary":["EMAIL","SMS"]}`, "/phone"}, {`"phone":"+15145550100","notificationMethods":{"primary":["EMAIL","SMS"]}`, ""},
		{`"notificationMethods":{"primary":[0]}`, ""}, {`"notificationMethods":{"primary":[1]}`, "/phone"}, {`"phone":"+15145550100","notificationMethods":{"primary":[1,0]}`, ""},
		{`"phone":"+15145550100","notificationMethods":{"primary":["EMAIL",1]}`, ""}, {`"notificationMethods":{"primary":["EMAIL",0]}`, "/notificationMethods/primary"},
		{`"notificationMethods":{"primary":[0,0]}`, "/notificationMethods/primary"}, {`"notificationMethods":{"primary":[0,0.0]}`, "/notificationMethods/primary"},
		{`"notificationMethods":{"primary":[2]}`, "/notificationMethods/primary"}, {`"notificationMethods":{"primary":[-1]}`, "/notificationMethods/primary"},
		{`"notificationMethods":{"primary":[0.5]}`, "/notificationMethods/primary"}, {`"notificationMethods":{"primary":["0"]}`, "/notificationMethods/primary"},
		{`"notificationMethods":{"primary":[true]}`, "/notificationMethods/primary"}, {`"notificationMethods":{"primary":0}`, "/notificationMethods/primary"},
		{`"phone":"12","notificationMethods":{"primary":["SMS"]}`, "/phone"}, {`"id":"","group":null,"title":"","address":null`, ""},
	}).run(t, CheckPackage, Context{})
}

func TestRoles_OfStoredPackage(t *testing.T) {
	c := Context{Package: stored(t)}
	verdicts{
		{`{"id":"r3","signers":[{"email":"c@b.co",` + person + `}]}`, ""}, {`{"id":"r1","signers":[{"email":"c@b.co",` + person + `}]}`, "/id"},
		{`{"signers":[{"email":"bo@b.co",` + person + `}]}`, "/signers/0/email"}, {`{"signers":[{"email":"c@b.co"}]}`, "/signers/0/firstName /signers/0/lastName"},
		{`{"signers":[]}`, "/signers"}, {`{}`, "/signers"}, {`{"type":"SENDER"}`, ""}, {`[]`, "malformed"}, {`{"type":"x","reassign":1}`, "/type /reassign /signers"},
	}.run(t, CheckRole, c)
	verdicts{
		{`[{"id":"r1","index":1},{"id":"r2","index":0}]`, ""}, {`[{"id":"r1"},{"id":"r1"}]`, "/1/id"}, {`{}`, "malformed"}, {`[5]`, "/0"}, {`[]`, ""},
		{`[{"id":"r1","signers":[{"email":"bo@b.co"}]},{"id":"r2","signers":[{"email":"al@b.co","phone":"+15145550100"}]}]`, ""},
		{`[{"id":"r1","signers":[{"email":"BO@b.co"}]}]`, "/0/signers/0/email"}, {`[{"id":"a/b"}]`, "/0/id"},
	}.run(t, CheckRoles, c)
	c.Role = "r1"
	verdicts{
		{`{}`, ""}, {`{"id":"r1"}`, ""}, {`{"id":""}`, ""}, {`{"id":null}`, ""}, {`{"id":"r2"}`, "/id"}, {`{"id":"r3"}`, "/id"}, {`{"id":5}`, "/id"},
		{`{"signers":[{"email":"AL@b.co"}]}`, ""}, {`{"signers":[{"email":"bo@B.co"}]}`, "/signers/0/email"}, {`{"signers":[{"firstName":""}]}`, ""},
		{`{"signers":[{"email":""}]}`, "/signers/0/email"}, {`{"signers":[]}`, "/signers"}, {`{"signers":[{"notificationMethods":{"primary":["SMS"]}}]}`, "/signers/0/phone"},
	}.run(t, CheckRoleUpdate, c)
	c.Role = "r2"
	verdicts{
		{`{"signers":[{"notificationMethods":{"primary":["SMS"]}}]}`, ""}, {`{"signers":[{"id":"s2","notificationMethods":{"primary":["SMS","EMAIL"]}}]}`, ""},
		{`{"signers":[{"phone":""}]}`, "/signers/0/phone"}, {`{"signers":[{"phone":"","notificationMethods":{"primary":["EMAIL"]}}]}`, ""},
		{`{"signers":[{"email":"new@b.co","phone":"+15145550101"}]}`, ""},
	}.run(t, CheckRoleUpdate, c)
}
