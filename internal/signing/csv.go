package signing

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// CSVHead is the first record of an export, which names the columns of AppendCSV.
const CSVHead = "id,name,status,type,description,language,created,updated,due,completed,sender,signers\r\n"

// record is what a package has in the columns.
type record struct {
	ID          text  `json:"id"`
	Name        text  `json:"name"`
	Status      text  `json:"status"`
	Type        text  `json:"type"`
	Description text  `json:"description"`
	Language    text  `json:"language"`
	Created     text  `json:"created"`
	Updated     text  `json:"updated"`
	Due         text  `json:"due"`
	Completed   text  `json:"completed"`
	Sender      party `json:"sender"`
	Roles       []struct {
		Type    text    `json:"type"`
		Signers []party `json:"signers"`
	} `json:"roles"`
}

// text is a JSON string; anything else is "".
type text string

// UnmarshalJSONFrom reads any value.
func (t *text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	value, err := d.ReadValue()
	if err != nil || value.Kind() != '"' {
		return err
	}
	unquoted, err := jsontext.AppendUnquote(nil, value)
	*t = text(unquoted)
	return err
}

// party is a sender or a signer. Of people whose address is not shown there is a name.
type party struct {
	Email     text `json:"email"`
	Name      text `json:"name"`
	FirstName text `json:"firstName"`
	LastName  text `json:"lastName"`
}

func (p party) String() string {
	return cmp.Or(string(p.Email), string(p.Name), strings.TrimSpace(string(p.FirstName+" "+p.LastName)))
}

// AppendCSV appends the record of a package to line (RFC 4180). The sender and the
// signers are their e-mail addresses, or names where these are not shown, the signers
// parted by semicolons. What is no text is an empty cell; the error is about what is no
// package.
func AppendCSV(line []byte, value jsontext.Value) ([]byte, error) {
	var r record
	if err := json.Unmarshal(value, &r); err != nil {
		return nil, err
	}
	var signers []string
	for _, role := range r.Roles {
		for _, signer := range role.Signers {
			if role.Type != "SENDER" {
				signers = append(signers, signer.String())
			}
		}
	}
	for i, cell := range []string{
		string(r.ID), freeText(string(r.Name)), string(r.Status), string(r.Type), freeText(string(r.Description)), freeText(string(r.Language)),
		string(r.Created), string(r.Updated), string(r.Due), string(r.Completed), freeText(r.Sender.String()), freeText(strings.Join(signers, "; ")),
	} {
		if i > 0 {
			line = append(line, ',')
		}
		line = appendCell(line, cell)
	}
	return append(line, "\r\n"...), nil
}

// freeText is what somebody typed, made harmless: a spreadsheet takes a cell that
// begins so for a formula.
func freeText(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

// appendCell appends a cell, quoted where it has to be. Package encoding/csv would
// change the line breaks in it.
func appendCell(line []byte, cell string) []byte {
	if !strings.ContainsAny(cell, "\",\r\n") {
		return append(line, cell...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(cell, `"`, `""`)...)
	return append(line, '"')
}
