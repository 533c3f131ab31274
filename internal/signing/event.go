package signing

import "countersign/internal/payload"

// AuditEvent is something that happened to a package (docs/platform.md S19).
type AuditEvent struct {
	Type   string `json:"type"`
	At     Moment `json:"date-time"`
	Target string `json:"target"`
	User   string `json:"user"`
	Email  string `json:"user-email"`
	IP     string `json:"user-ip"`
	Data   string `json:"data"`
}

// EventPackage returns the id of the package that a callback's event names
// (docs/platform.md S13); "" if it names none.
func EventPackage(event []byte) string {
	var named struct {
		PackageID string `json:"packageId"`
	}
	if payload.Unmarshal(event, &named) != nil || !ValidID(named.PackageID) {
		return ""
	}
	return named.PackageID
}
