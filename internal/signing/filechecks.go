package signing

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// FileCheck is what the platform found in a file that a signer has attached (docs/platform.md
// S13).
type FileCheck struct {
	// Status is COMPLETED, NOT_PERFORMED or FAILED.
	Status string
	// Reason is the platform's code of why; "" for none.
	Reason string

	role, asked, file, name string // which file it is, as far as the platform says so
}

// The values of FileCheck.Status.
const (
	FileChecked    = "COMPLETED"
	FileNotChecked = "NOT_PERFORMED"
	FileCheckFails = "FAILED"
)

// FileChecks are the checks of a package's files.
type FileChecks []FileCheck

// ReadFileChecks reads the platform's answer about attached files. Where a check stands in it,
// and what the members are called that say which file it is, is not certain: every object that
// has an extractionStatus is a check, and what it does not say the objects around it do.
func ReadFileChecks(answer jsontext.Value) (FileChecks, error) {
	var value any
	if err := payload.Unmarshal(answer, &value); err != nil {
		return nil, err
	}
	var all FileChecks
	all.add(value, FileCheck{})
	return all, nil
}

// add adds the checks in value, of what around says.
func (f *FileChecks) add(value any, around FileCheck) {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			f.add(element, around)
		}
	case map[string]any:
		here := around
		here.role = cmp.Or(texts(v, "roleId", "roleUid", "signerId"), around.role)
		here.asked = cmp.Or(texts(v, "attachmentId", "attachmentUid", "attachmentRequirementId", "requirementId"), around.asked)
		here.file, here.name = cmp.Or(texts(v, "fileId", "fileUid"), around.file), cmp.Or(texts(v, "fileName", "filename", "name"), around.name)
		if here.Status = texts(v, "extractionStatus"); here.Status != "" {
			here.file = cmp.Or(here.file, texts(v, "id"))
			here.Reason = texts(v, "reasonCode")
			*f = append(*f, here)
			return
		}
		if here.asked == "" {
			here.asked = texts(v, "id")
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			f.add(v[name], here)
		}
	}
}

// texts returns the first of these members that is a text or a number; "" for none.
func texts(o map[string]any, names ...string) string {
	for _, name := range names {
		switch v := o[name].(type) {
		case string:
			if v != "" {
				return v
			}
		case float64:
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return ""
}

// Of returns the check of a file that a role has attached: by the ids, else by the file's name
// where one check alone has it. It returns false if there is none.
func (f FileChecks) Of(role Role, asked AttachmentRequest, file AttachedFile) (FileCheck, bool) {
	named, found := FileCheck{}, 0
	for _, check := range f {
		isRole := check.role == "" || check.role == role.ID || role.hasSigner(check.role)
		if !isRole || check.asked != "" && check.asked != asked.ID && check.asked != asked.Name {
			continue
		}
		if check.asked != "" && check.file != "" && check.file == file.FileID() {
			return check, true
		}
		if check.name != "" && check.name == file.Name {
			named, found = check, found+1
		}
	}
	return named, found == 1
}

func (r Role) hasSigner(id string) bool {
	return slices.ContainsFunc(r.Signers, func(s Signer) bool { return s.ID == id })
}
