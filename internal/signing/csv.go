package signing

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
	"countersign/internal/safetext"
)

// CSVHead is the first record of an export, which names the columns of AppendCSV.
const CSVHead = "id,name,status,type,description,language,created,updated,due,completed,sender,signers\r\n"

// record holds a package's values of the columns; a value that is no text is empty.
type record struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Status      string    `json:"status"`
	Type        string    `json:"type"`
	Description string    `json:"description"`
	Language    string    `json:"language"`
	Created     string    `json:"created"`
	Updated     string    `json:"updated"`
	Due         string    `json:"due"`
	Completed   string    `json:"completed"`
	Sender      party     `json:"sender"`
	Roles       []parties `json:"roles"`
}

// parties are the signers of a role.
type parties struct {
	Type    string  `json:"type"`
	Signers []party `json:"signers"`
}

// party is a sender or a signer. A person whose address is hidden has a name only.
type party struct {
	Email     string `json:"email"`
	Name      string `json:"name"`
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
}

var asRecord = payload.Lenient(
	payload.Expect[[]parties]('['), payload.Expect[parties]('{'), payload.Expect[[]party]('['), payload.Expect[party]('{'),
)

func (p party) String() string {
	return cmp.Or(p.Email, p.Name, strings.TrimSpace(p.FirstName+" "+p.LastName))
}

// AppendCSV appends the record of a package to line (RFC 4180). The sender and the
// signers are given by e-mail address, or by name if it is hidden, the signers separated
// by semicolons. A value that is no text is an empty cell. The error means that value is
// no package.
func AppendCSV(line []byte, value jsontext.Value) ([]byte, error) {
	var r record
	if err := json.Unmarshal(value, &r, asRecord); err != nil {
		return nil, err
	}
	var signers []string
	for _, role := range r.Roles {
		for _, signer := range role.Signers {
			if role.Type != RoleSender {
				signers = append(signers, signer.String())
			}
		}
	}
	return safetext.AppendRecord(line,
		r.ID, r.Name, r.Status, r.Type, r.Description, r.Language,
		r.Created, r.Updated, r.Due, r.Completed, r.Sender.String(), strings.Join(signers, "; "),
	), nil
}
