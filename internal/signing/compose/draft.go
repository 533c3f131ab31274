package compose

import (
	"slices"
	"strconv"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

// composed is a form as the platform's payload, with the input that each part comes from.
type composed struct {
	signing.Draft
	// inputs maps pointers into the payload to the names of inputs.
	inputs map[string]string
}

// compose returns the form as a payload with that status.
func (f *Form) compose(status string) composed {
	c := composed{
		Draft:  signing.Draft{Name: f.Title(), Status: status, EmailMessage: f.Message},
		inputs: map[string]string{"/name": "name", "/emailMessage": "message"},
	}
	for i, r := range f.Recipients {
		c.recipient(i, r, f.InOrder)
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

func (c *composed) recipient(i int, r Recipient, inOrder bool) {
	index := 0
	if inOrder {
		index = i + 1
	}
	c.Roles = append(c.Roles, r.role(index))
	for member, input := range recipientInputs {
		c.inputs["/roles/"+strconv.Itoa(i)+"/signers/0/"+member] = r.Key + "." + input
	}
	c.inputs["/roles/"+strconv.Itoa(i)+"/attachmentRequirements/0"] = r.Key + ".file_name"
	c.inputs["/roles/"+strconv.Itoa(i)+"/attachmentRequirements/0/description"] = r.Key + ".file_about"
	c.inputs["/roles/"+strconv.Itoa(i)+"/emailMessage/content"] = r.Key + ".message"
}

func (c *composed) document(f *Form, i int, d Document) {
	out := signing.Document{ID: d.ID, Name: d.Name, Index: i + 1, Approvals: []signing.Approval{}}
	pointer := "/documents/" + strconv.Itoa(i)
	c.inputs[pointer+"/name"] = "files"
	for _, r := range f.Recipients {
		for _, group := range f.approvals(d, r) {
			approval := signing.Approval{Role: r.roleID(), Fields: []signing.Field{}}
			at := pointer + "/approvals/" + strconv.Itoa(len(out.Approvals)) + "/fields/"
			for j, field := range group {
				approval.Fields = append(approval.Fields, field.draft(d.scale()))
				for member, input := range fieldInputs {
					c.inputs[at+strconv.Itoa(j)+"/"+member] = field.Key + "." + input
				}
				if field.Kind == customKind {
					c.inputs[at+strconv.Itoa(j)+"/name"] = field.Key + ".custom"
				}
				out.Extract = out.Extract || field.extracted()
			}
			out.Approvals = append(out.Approvals, approval)
		}
	}
	c.Documents = append(c.Documents, out)
}

// approvals returns the recipient's fields of a document in groups, with at most one
// signature in each. A recipient without any field in the whole package signs at the end
// of the document.
func (f *Form) approvals(d Document, r Recipient) (groups [][]Field) {
	var inputs []Field
	for _, field := range f.Fields {
		switch {
		case field.Document != d.Key || field.Recipient != r.Key:
		case kindOf(field.Kind).Type == signature:
			groups = append(groups, []Field{field})
		default:
			inputs = append(inputs, field)
		}
	}
	if !slices.ContainsFunc(f.Fields, func(field Field) bool { return field.Recipient == r.Key }) {
		return [][]Field{{f.closing(d, r)}}
	}
	if len(groups) == 0 && len(inputs) > 0 {
		return [][]Field{inputs}
	}
	if len(groups) > 0 {
		groups[0] = append(groups[0], inputs...)
	}
	return groups
}

// closing returns the recipient's signature at the end of a document, beside those of the
// others.
func (f *Form) closing(d Document, r Recipient) Field {
	page, size := 1, Page{Width: 612, Height: defaultHeight}
	if n := len(d.Pages); n > 0 {
		page, size = n, d.Pages[n-1]
	}
	const margin, columnWidth, rowHeight = 50, 220, 60
	place := max(0, f.recipientAt(r.Key))
	columns := max(1, int((size.Width-margin)/columnWidth))
	left := float64(margin + place%columns*columnWidth)
	top := max(margin, size.Height-margin-rowHeight-float64(place/columns*rowHeight))
	return Field{Kind: kinds[0].Name, Page: strconv.Itoa(page), Left: formatNumber(left), Top: formatNumber(top)}
}

// check applies the rules to the package; the pointer of each violation is the name of
// its input.
func (c composed) check(rules signing.Context) error { return toInputs(c.Check(rules), c.inputs) }

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
