package idv

import (
	"net/http"
	"slices"
	"strings"

	"countersign/internal/sandbox/wire"
)

// address returns the storage's address of an image.
func (t *transaction) address(one check, name string) string {
	return t.stored("verifications/" + one.id + "/" + name + ".png")
}

// pictured returns the check of that id, if the transaction has completed and the
// verification has succeeded.
func (t *transaction) pictured(id string) (check, error) {
	if err := t.wantCompleted(); err != nil {
		return check{}, err
	}
	i := slices.IndexFunc(t.checks[:], func(one check) bool { return one.id == id })
	switch {
	case i < 0:
		return check{}, unknown("verification")
	case !t.passed(t.checks[i]):
		return check{}, wire.Conflict("The verification has failed")
	}
	return t.checks[i], nil
}

// getImages answers with the images of a verification, each in a separate object.
func (s *Server) getImages(r *http.Request, t *transaction) (any, error) {
	one, err := t.pictured(r.PathValue("verification"))
	if err != nil {
		return nil, err
	}
	images := []map[string]string{}
	for _, name := range t.pictures(one) {
		images = append(images, map[string]string{name: t.address(one, name)})
	}
	return struct {
		TransactionID  string              `json:"transaction_id"`
		VerificationID string              `json:"verification_id"`
		Images         []map[string]string `json:"verified_images"`
	}{t.id, one.id, images}, nil
}

// picture returns the picture at a path of the storage below t.
func (t *transaction) picture(path string) (any, error) {
	parts := strings.Split(path, "/")
	if len(parts) != 3 || parts[0] != "verifications" {
		return nil, unknown("address")
	}
	one, err := t.pictured(parts[1])
	if err != nil {
		return nil, err
	}
	for _, name := range t.pictures(one) {
		if t.stored(path) == t.address(one, name) {
			return t.draw(name)
		}
	}
	return nil, unknown("image")
}
