package compose

import (
	"strconv"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

// composition is a form as the platform's payload, with the input that each part comes from.
type composition struct {
	signing.Draft
	// arrangements are what the approvals of each document become.
	arrangements []arrangement
	// inputs maps pointers into the payload to the names of inputs.
	inputs map[string]string
}

// compose returns the form as a payload with that status.
func (f *Form) compose(status string) composition {
	c := composition{
		Draft:  signing.Draft{Name: f.Title(), Status: status, EmailMessage: f.Message},
		inputs: map[string]string{"/name": "name", "/emailMessage": "message"},
	}
	order := f.order()
	for i, r := range f.Recipients {
		c.recipient(i, r, order[i])
	}
	for i, d := range f.Documents {
		c.document(f, i, d)
	}
	return c
}

// roleID returns the id of the recipient's role.
func (r Recipient) roleID() string {
	if r.ID != "" {
		return r.ID
	}
	return "recipient-" + strings.TrimPrefix(r.Key, "r")
}

// role returns the recipient as a role of the payload, at that position of the order.
func (r Recipient) role(index int) signing.RoleChange {
	s := signing.Signer{FirstName: r.FirstName, LastName: r.LastName, Email: r.Email, Phone: r.Phone}
	s.Notify.Primary = []string{}
	if r.ByEmail {
		s.Notify.Primary = append(s.Notify.Primary, signing.NotifyByEmail)
	}
	if r.BySMS {
		s.Notify.Primary = append(s.Notify.Primary, signing.NotifyBySMS)
	}
	role := signing.RoleChange{ID: r.roleID(), Type: signing.RoleSigner, Index: index, Signers: []signing.Signer{s}, Reassign: r.Reassign, Files: r.files()}
	if r.Message != "" {
		role.EmailMessage = &signing.RoleMessage{Content: r.Message}
	}
	return role
}

// recipientInputs maps the members of a signer to the inputs of a recipient.
var recipientInputs = map[string]string{
	"firstName": "first_name", "lastName": "last_name", "email": "email", "phone": "phone", "notificationMethods/primary": "by_email",
}

func (c *composition) recipient(i int, r Recipient, index int) {
	c.Roles = append(c.Roles, r.role(index))
	for member, input := range recipientInputs {
		c.inputs["/roles/"+strconv.Itoa(i)+"/signers/0/"+member] = r.Key + "." + input
	}
	c.inputs["/roles/"+strconv.Itoa(i)+"/attachmentRequirements/0"] = r.Key + ".file_name"
	c.inputs["/roles/"+strconv.Itoa(i)+"/attachmentRequirements/0/description"] = r.Key + ".file_about"
	c.inputs["/roles/"+strconv.Itoa(i)+"/emailMessage/content"] = r.Key + ".message"
}

// document adds a document with the approvals that it becomes. The rules judge what changed of
// them: what a program has set and the form does not touch is no input's.
func (c *composition) document(f *Form, i int, d Document) {
	becomes := f.arrange(d, c.Status == signing.StatusSent)
	c.arrangements = append(c.arrangements, becomes)
	out := signing.Document{ID: d.ID, Name: d.Name, Index: i + 1}
	pointer := "/documents/" + strconv.Itoa(i)
	c.inputs[pointer+"/name"] = "files"
	out.Approvals, out.Extract = becomes.checked(func(at string, field fieldLayout) {
		for member, input := range fieldInputs {
			c.inputs[pointer+at+"/"+member] = field.key + "." + input
		}
		if field.custom {
			c.inputs[pointer+at+"/name"] = field.key + ".custom"
		}
	})
	c.Documents = append(c.Documents, out)
}

// check applies the rules to the package; the pointer of each violation is the name of
// its input.
func (c composition) check(rules signing.Context) error { return toInputs(c.Check(rules), c.inputs) }

// toInputs returns err with the pointers of its violations replaced by the names of
// inputs; any other err is returned as it is.
func toInputs(err error, inputs map[string]string) error {
	found := fault.From(err)
	if err == nil || found.Key != fault.RequestInvalid {
		return err
	}
	fields := make([]fault.Field, len(found.Fields))
	for i, field := range found.Fields {
		fields[i] = fault.Field{Pointer: inputAt(inputs, field.Pointer), Detail: field.Detail}
	}
	return fault.Invalid(fields...)
}

// inputAt returns the input of a place in the payload: its own, or else the one of the
// closest part around it.
func inputAt(inputs map[string]string, pointer string) string {
	for ; pointer != "" && inputs[pointer] == ""; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
	}
	return inputs[pointer]
}
