package verification

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

const storage = "sfs://"

// maxAuthority bounds the search for the host of an address, in bytes.
const maxAuthority = 1 << 10

// isOwn reports whether an address, split behind the slashes of its scheme, belongs to the
// platform or lies in its storage.
func (c *Client) isOwn(scheme, rest string) bool {
	if name, _, _ := strings.Cut(strings.ToLower(scheme), ":"); strings.HasSuffix(name+"://", storage) {
		return true
	}
	authority := rest[:min(maxAuthority, len(rest))]
	if end := strings.IndexAny(authority, "/?#\\ \t\r\n\"'<>"); end >= 0 {
		authority = authority[:end]
	}
	host := strings.ToLower(authority[strings.LastIndexByte(authority, '@')+1:])
	u := &url.URL{Scheme: "https", Host: host}
	return c.Sites.Have(u) || config.Hosts{strings.ToLower(c.Upstream.URL().Host)}.Have(u)
}

// Image is a picture of a verification.
type Image struct {
	// Name is the member that names it, such as image_submitted_document_front.
	Name string
	// Address is where the platform keeps it.
	Address string
}

// errOther rejects an answer about another transaction than was asked for.
var errOther = errors.New("the answer is about another transaction or verification")

// Images returns the pictures of a verification that succeeded.
func (c *Client) Images(ctx context.Context, id, verification string) ([]Image, error) {
	body, err := c.object(ctx, getVerificationImages, exchange{values: ofVerification(id, verification)})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Transaction  string                      `json:"transaction_id"`
		Verification string                      `json:"verification_id"`
		Images       []map[string]jsontext.Value `json:"verified_images"`
	}
	if err := unmarshal(body, &answer); err != nil {
		return nil, err
	}
	for asked, said := range map[string]string{id: answer.Transaction, verification: answer.Verification} {
		if said != "" && !strings.EqualFold(said, asked) {
			return nil, unreadable(errOther)
		}
	}
	var images []Image
	for _, named := range answer.Images {
		for name, value := range named {
			if address, err := jsontext.AppendUnquote(nil, value); err == nil && IsImage(name) {
				images = append(images, Image{name, string(address)})
			}
		}
	}
	return images, nil
}

// IsImage reports whether text can be the name of a picture.
func IsImage(text string) bool { return isName(text) }

func ofVerification(id, verification string) map[string]string {
	return map[string]string{"transaction": id, "verification": verification}
}

// ImagePath returns the platform's path of a picture in its storage, or platform.failed for
// a picture elsewhere.
func (c *Client) ImagePath(image Image) (string, error) {
	if len(image.Address) < len(storage) || !strings.EqualFold(image.Address[:len(storage)], storage) {
		return "", fault.Wrap(fault.PlatformFailed, errElsewhere)
	}
	var path []string
	for segment := range strings.SplitSeq(image.Address[len(storage):], "/") {
		escaped, ok := upstream.Fill("{segment}", map[string]string{"segment": segment})
		if !ok {
			return "", fault.Wrap(fault.PlatformFailed, errElsewhere)
		}
		path = append(path, escaped)
	}
	return strings.ReplaceAll(getVerificationImage.At(c.Paths).Path, "{address}", strings.Join(path, "/")), nil
}
