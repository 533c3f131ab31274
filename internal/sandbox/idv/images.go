package idv

import (
	"net/http"
	"slices"
	"strings"

	"countersign/internal/sandbox/wire"
)

// imagesPath precedes, in an image's URL, the part after sfs:// of its address: an
// assumption, because the path is not public (docs/platform.md V6).
const imagesPath = "/api/sfs/"

// address returns an image's address, without sfs:// or imagesPath.
func (t *transaction) address(one check, name string) string {
	return t.id + "/" + one.id + "/" + name + ".png"
}

// pictured returns the transaction and the check of a request for images, if the
// transaction has completed and the verification has succeeded.
func (s *Server) pictured(r *http.Request) (*transaction, check, error) {
	t, err := s.store.find(r.PathValue("transaction"))
	if err != nil {
		return nil, check{}, err
	}
	if err := t.wantCompleted(); err != nil {
		return nil, check{}, err
	}
	i := slices.IndexFunc(t.checks[:], func(one check) bool { return one.id == r.PathValue("verification") })
	switch {
	case i < 0:
		return nil, check{}, unknown("verification")
	case !t.passed(t.checks[i]):
		return nil, check{}, wire.Conflict("The verification has failed")
	}
	return t, t.checks[i], nil
}

// getImages answers with the images of a verification, each in an object of its own.
func (s *Server) getImages(r *http.Request) (any, error) {
	t, one, err := s.pictured(r)
	if err != nil {
		return nil, err
	}
	images := []map[string]string{}
	for _, name := range t.pictures(one) {
		images = append(images, map[string]string{name: "sfs://" + t.address(one, name)})
	}
	return struct {
		TransactionID  string              `json:"transaction_id"`
		VerificationID string              `json:"verification_id"`
		Images         []map[string]string `json:"verified_images"`
	}{t.id, one.id, images}, nil
}

// getImage answers with one image.
func (s *Server) getImage(r *http.Request) (any, error) {
	t, one, err := s.pictured(r)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(r.PathValue("image"), ".png")
	if !slices.Contains(t.pictures(one), name) {
		return nil, unknown("image")
	}
	return t.draw(name), nil
}
