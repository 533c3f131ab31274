package compose

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing"
)

// AlsoSign returns the further signers of a recipient's role, which no form edits.
func (d *Draft) AlsoSign(r Recipient) []signing.Signer {
	at, ok := d.role(r.roleID())
	if !ok || len(at.Signers) < 2 {
		return nil
	}
	return slices.Clone(at.Signers[1:])
}

// changes returns the members of a role of the platform that a form's role changes; none where
// it shows the role as it is. What no form has of it stays: further signers, and members of a
// signer or a file.
func (at originRole) changes(r signing.RoleChange) map[string]any {
	var shown Recipient
	shown.read(at.RoleChange)
	was := shown.role(at.Index)
	changes := map[string]any{}
	if r.Index != at.Index {
		changes["index"] = r.Index
	}
	if r.Reassign != was.Reassign {
		changes["reassign"] = r.Reassign
	}
	if text := messageOf(r); text != messageOf(was) {
		changes["emailMessage"] = signing.RoleMessage{Content: text}
	}
	if !slices.Equal(r.Files, was.Files) {
		changes["attachmentRequirements"] = at.filesAs(r.Files)
	}
	r.Signers = slices.Clone(r.Signers)
	r.Signers[0].ID = was.Signers[0].ID
	if string(encoded(r.Signers[0])) != string(encoded(was.Signers[0])) {
		changes["signers"] = at.signersAs(was.Signers[0], r.Signers[0])
	}
	return changes
}

// messageOf returns the text to the signer of a role; "" for none.
func messageOf(r signing.RoleChange) string {
	if r.EmailMessage == nil {
		return ""
	}
	return r.EmailMessage.Content
}

// signersAs returns the role's signers, the first as a form has it now.
func (at originRole) signersAs(was, now signing.Signer) []jsontext.Value {
	if len(at.signers) == 0 {
		return []jsontext.Value{encoded(now)}
	}
	all := slices.Clone(at.signers)
	all[0] = overwritten(all[0], was, now)
	return all
}

// filesAs returns the files that a role is asked for, as a form has them now.
func (at originRole) filesAs(files []signing.RequestedFile) []jsontext.Value {
	all := []jsontext.Value{}
	for _, file := range files {
		i := slices.IndexFunc(at.Files, func(was signing.RequestedFile) bool { return was.ID == file.ID })
		if i < 0 || i >= len(at.files) {
			all = append(all, encoded(file))
			continue
		}
		all = append(all, overwritten(at.files[i], at.Files[i], file))
	}
	return all
}
