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

// maxAuthority is how far the host of an address is looked for, in bytes.
const maxAuthority = 1 << 10

// isOwn reports whether an address is one of the platform's, or in its storage: its
// scheme with the slashes, and what follows.
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

// errOther is why an answer about something else is not used.
var errOther = errors.New("it is about something else than was asked for")

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

// ImagePath is the platform's path of a picture in its storage; the error is
// platform.failed for an address elsewhere.
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
