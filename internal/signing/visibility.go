package signing

// Visibility lists which roles see which documents of a package. A document that it does
// not name is visible to all (docs/platform.md S8).
type Visibility struct {
	Configurations []VisibleDocument `json:"configurations"`
}

// VisibleDocument is a document with the ids of the roles that see it.
type VisibleDocument struct {
	Document string   `json:"documentUid"`
	Roles    []string `json:"roleUids"`
}
