package signing

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/safetext"
)

// CSVHead is the first record of an export, which names the columns of AppendCSV.
const CSVHead = "id,name,status,type,description,language,created,updated,due,completed,sender,signers\r\n"

// AppendCSV appends the record of a package to line (RFC 4180). The sender and the
// signers are given by e-mail address, or by name if it is hidden, the signers separated
// by semicolons. A value that is no text is an empty cell. The error means that value is
// no package.
func AppendCSV(line []byte, value jsontext.Value) ([]byte, error) {
	p, err := ReadPackage(value)
	if err != nil {
		return nil, err
	}
	var signers []string
	for _, role := range p.Roles {
		for _, signer := range role.Signers {
			if role.Type != RoleSender {
				signers = append(signers, signer.cell())
			}
		}
	}
	return safetext.AppendRecord(line,
		p.ID, p.Name, p.Status, p.Type, p.Description, p.Language,
		p.Created.Text, p.Updated.Text, p.Due.Text, p.Completed.Text, p.Sender.cell(), strings.Join(signers, "; "),
	), nil
}

// cell returns how an export names the person. One whose address is hidden has a name only.
func (s Signer) cell() string { return cmp.Or(s.Email, s.FullName, s.Name()) }
