package portal

import (
	"net/url"
	"slices"
	"strings"

	"countersign/internal/access"
	"countersign/internal/signing"
	"countersign/internal/signing/service"
)

// fillProgress adds what owners and operators follow: how many have signed, everybody's address,
// and who gets a reminder.
func fillProgress(v *packageView, o service.Opened, how service.Progress) {
	if !o.MayChange() {
		return
	}
	i := 0
	for _, r := range o.Visible.Roles {
		if !how.Asked(r) {
			continue
		}
		for _, s := range r.Signers {
			v.People[i].Email = s.Email
			i++
		}
	}
	fillCounts(&v.Item, o, how)
	for _, r := range service.Reminded(o.Full) {
		v.Reminded = append(v.Reminded, r.Signers[0].Name())
	}
}

// senderOf returns who asks people to sign, by name; "" if it is the person.
func senderOf(o service.Opened, person access.Person) string {
	if o.Owns(person) {
		return ""
	}
	return o.Full.OwnerName()
}

// fillCounts adds how many have signed, for owners and operators of a package that was sent.
func fillCounts(v *Item, o service.Opened, how service.Progress) {
	if o.MayChange() && o.Full.Status != signing.StatusDraft {
		v.Signed, v.Asked = signedOf(o.Full, how)
	}
}

// signedOf counts the roles that have signed, and those that are asked to.
func signedOf(p signing.Package, how service.Progress) (signed, asked int) {
	for _, r := range p.Roles {
		if !how.Asked(r) || len(r.Signers) == 0 {
			continue
		}
		asked++
		if !how.Waits(r) {
			signed++
		}
	}
	return signed, asked
}

// hasEvidence reports whether somebody has signed.
func hasEvidence(p signing.Package) bool {
	return slices.ContainsFunc(p.Documents, func(d signing.Document) bool {
		return slices.ContainsFunc(d.Approvals, func(a signing.Approval) bool { return !a.Signed.IsZero() })
	})
}

// endedOf returns who ended a package before all had signed, and why. A signer is told the
// reasons that are addressed to them, their own, and why it was taken back.
func endedOf(o service.Opened, person access.Person) (packageEnd, string) {
	end, ok := o.Full.Ending()
	if !ok {
		return packageEnd{}, ""
	}
	if end.Operator != "" {
		return packageEnd{Cancelled: true, You: end.Operator == person.User, Operator: true}, end.Reason
	}
	if end.BySender {
		return packageEnd{Cancelled: true, You: o.Owns(person), Name: o.Full.OwnerName()}, end.Reason
	}
	own := slices.ContainsFunc(end.Signer, func(name string) bool {
		return name != "" && (slices.Contains(o.Grant.Names, name) || name == person.Email)
	})
	told := own || o.MayChange() || slices.ContainsFunc(o.Visible.Messages, func(m signing.Message) bool { return strings.TrimSpace(m.Content) == end.Reason })
	if !told {
		end.Reason = ""
	}
	return packageEnd{You: own, Name: end.Name}, end.Reason
}

// requestRow is a file that a signer is asked for.
type requestRow struct {
	// Of is the signer's name; "" if the reader is the signer.
	Of                string
	Name, Description string
	Required          bool
	Files             []fileRow
}

// fileRow is a file that a signer has attached.
type fileRow struct {
	Name, Path string
	// CheckID is the message that says what became of the platform's check of the file; "" for
	// none. Reason is its code of why it was not checked, or "".
	CheckID, Reason string
}

// requestsOf returns the files that signers are asked for, as far as the reader may see them,
// with what was found in them, and the path of all that were attached.
func requestsOf(o service.Opened, checks signing.FileChecks) (all []requestRow, archive string) {
	base, attached := "/api"+packagePath(o.ID)+"/attachment/", 0
	for _, r := range o.Visible.Roles {
		own := slices.Contains(o.Grant.Roles, r.ID)
		if !own && !o.MayChange() {
			continue
		}
		for _, asked := range r.Files {
			one := requestRow{Name: asked.Name, Description: asked.Description, Required: asked.Required}
			if !own && len(r.Signers) > 0 {
				one.Of = r.Signers[0].Name()
			}
			ofRole := base + "zip/" + url.PathEscape(r.ID)
			for _, file := range asked.Attached {
				if id := file.FileID(); id != "" {
					path := base + url.PathEscape(asked.ID) + "/" + url.PathEscape(id)
					if isShared(o.Full, r.ID, asked.ID) {
						path = ofRole
					}
					one.Files = append(one.Files, checked(fileRow{Name: file.Name, Path: path}, checks, r, asked, file))
				}
			}
			if attached += len(one.Files); len(one.Files) > 0 && archive == "" {
				archive = ofRole
			}
			all = append(all, one)
		}
	}
	if attached > 0 && o.MayChange() {
		archive = base + "zip"
	}
	return all, archive
}

// isShared reports whether another role than this one is asked for a file of that id, too, so
// that the id does not say whose it is: only a role's archive does.
func isShared(pkg signing.Package, role, id string) bool {
	return slices.ContainsFunc(pkg.Roles, func(r signing.Role) bool {
		return r.ID != role && slices.ContainsFunc(r.Files, func(asked signing.AttachmentRequest) bool { return asked.ID == id })
	})
}

// checked adds to a file what the platform found in it.
func checked(f fileRow, checks signing.FileChecks, r signing.Role, asked signing.AttachmentRequest, file signing.AttachedFile) fileRow {
	if check, ok := checks.Of(r, asked, file); ok {
		f.CheckID, f.Reason = fileCheckIDs[check.Status], check.Reason
	}
	return f
}

var fileCheckIDs = map[string]string{
	signing.FileChecked: "page.package.file-checked", signing.FileNotChecked: "page.package.file-not-checked", signing.FileCheckFails: "page.package.file-check-failed",
}
