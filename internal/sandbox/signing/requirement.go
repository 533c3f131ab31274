package signing

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// The values of a requirement's status.
const (
	incomplete = "INCOMPLETE"
	complete   = "COMPLETE"
	rejected   = "REJECTED"
)

// requirement is a file that a signer has to attach to a package.
type requirement struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Required    bool           `json:"required"`
	Status      string         `json:"status"` // or REJECTED
	Comment     string         `json:"comment"`
	Data        jsontext.Value `json:"data"`
	Files       []attachment   `json:"files"`
	Rest        jsontext.Value `json:",embed"`
}

// attachment is a file that a signer has attached.
type attachment struct {
	ID         int    `json:"id"`
	Name       string `json:"name"`
	InsertDate int64  `json:"insertDate"` // milliseconds since 1970
	Preview    bool   `json:"preview"`
}

// pathID matches an id that needs no escaping in a path: the SDKs send a requirement's
// name as its id.
var pathID = regexp.MustCompile(`^[A-Za-z0-9._=@+~-]+$`)

func isPathID(id string) bool { return len(id) <= 255 && pathID.MatchString(id) }

func (q *requirement) complete() {
	if !isPathID(q.ID) {
		q.ID = uuid.NewString()
	}
	q.Status, q.Files, q.Rest = cmp.Or(q.Status, incomplete), list(q.Files), withoutNulls(q.Rest)
}

// keepAttached keeps the role's earlier requirements if a request names none, and the
// attached files of those that it names.
func (r *role) keepAttached(before []requirement) {
	if r.AttachmentRequirements == nil {
		r.AttachmentRequirements = before
	}
	for i := range r.AttachmentRequirements {
		q := &r.AttachmentRequirements[i]
		q.Files = nil
		if known := indexOf(before, *q); known >= 0 {
			q.ID, q.Files = before[known].ID, before[known].Files
		}
	}
}

// indexOf returns the index of the requirement with q's id, else q's name, or -1.
func indexOf(all []requirement, q requirement) int {
	i := slices.IndexFunc(all, func(one requirement) bool { return one.ID == q.ID })
	if i < 0 {
		i = slices.IndexFunc(all, func(one requirement) bool { return one.Name == q.Name })
	}
	return i
}

// forgetAttached removes all attached files.
func (r *role) forgetAttached() {
	for i := range r.AttachmentRequirements {
		r.AttachmentRequirements[i].Files, r.AttachmentRequirements[i].Status = nil, incomplete
	}
}

// isMissing reports whether the package has to wait for a file.
func (q requirement) isMissing() bool {
	return q.Required && (len(q.Files) == 0 || q.Status == rejected)
}

// lacks reports whether a signer of that role, or of any for "", still has to attach a
// file.
func (p *pkg) lacks(roleID string) bool {
	return slices.ContainsFunc(p.Roles, func(r role) bool {
		return (roleID == "" || r.ID == roleID) && slices.ContainsFunc(r.AttachmentRequirements, requirement.isMissing)
	})
}

// requirement returns the requirement with that id, else with that name, of a party, or
// of anybody if the account asks, and its role's id. It points into the package.
func (p *pkg) requirement(who party, name string) (roleID string, found *requirement, err error) {
	for i := range p.Roles {
		r := &p.Roles[i]
		if who.roleID != "" && who.roleID != r.ID {
			continue
		}
		for j := range r.AttachmentRequirements {
			switch q := &r.AttachmentRequirements[j]; {
			case q.ID == name:
				return r.ID, q, nil
			case q.Name == name && found == nil:
				roleID, found = r.ID, q
			}
		}
	}
	if found == nil {
		return "", nil, unknown("attachment")
	}
	return roleID, found, nil
}

// attacher returns the signer whose session a request carries; nobody if the account asks,
// whose first role with a requirement counts.
func (s *Server) attacher(r *http.Request) party { return s.actorOf(r).party }
