package platform

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/upstream"
	"countersign/internal/verification"
)

// Image is a picture of a verification.
type Image struct {
	// Name is the member that names it, such as image_submitted_document_front.
	Name string
	// Address is where the platform keeps it.
	Address string
}

// Images returns the pictures of a check of the transaction that succeeded.
func (c *Client) Images(ctx context.Context, id, check string) ([]Image, error) {
	body, err := c.object(ctx, getVerificationImages, exchange{values: ofVerification(id, check)})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Images []map[string]jsontext.Value `json:"verified_images"`
	}
	if err := verification.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	var images []Image
	for _, named := range answer.Images {
		for name, value := range named {
			if address, err := jsontext.AppendUnquote(nil, value); err == nil && verification.IsImage(name) {
				images = append(images, Image{name, string(address)})
			}
		}
	}
	return images, nil
}

func ofVerification(id, verification string) map[string]string {
	return map[string]string{"transaction": id, "verification": verification}
}

// ImagePath returns the platform's path of a picture in its storage, or platform.failed for
// a picture elsewhere.
func (c *Client) ImagePath(image Image) (string, error) {
	if len(image.Address) < len(verification.Storage) || !strings.EqualFold(image.Address[:len(verification.Storage)], verification.Storage) {
		return "", fault.Wrap(fault.PlatformFailed, errForeignAddress)
	}
	var path []string
	for segment := range strings.SplitSeq(image.Address[len(verification.Storage):], "/") {
		escaped, ok := upstream.Fill("{segment}", map[string]string{"segment": segment})
		if !ok {
			return "", fault.Wrap(fault.PlatformFailed, errForeignAddress)
		}
		path = append(path, escaped)
	}
	return strings.ReplaceAll(getVerificationImage.At(c.Paths).Path, "{address}", strings.Join(path, "/")), nil
}
