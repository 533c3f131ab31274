package platform

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

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
	values := of(id)
	values["verification"] = check
	body, err := c.object(ctx, getVerificationImages, exchange{values: values})
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
			if address, ok := addressOf(value); ok && verification.IsImage(name) {
				images = append(images, Image{name, address})
			}
		}
	}
	return images, nil
}

// addressOf reads the address of a picture: a text, or the url of an object.
func addressOf(value jsontext.Value) (address string, ok bool) {
	var object struct {
		URL string `json:"url"`
	}
	switch value.Kind() {
	case '"':
		return text(value), true
	case '{':
		err := verification.Unmarshal(value, &object)
		return object.URL, err == nil
	}
	return "", false
}

// Picture fetches a picture of a transaction.
func (c *Client) Picture(ctx context.Context, id string, image Image, want http.Header) (*File, error) {
	path, err := c.DataPath(id, image.Address)
	if err != nil {
		return nil, err
	}
	return c.file(ctx, getTransactionData, path, want, image.Name, pictures)
}
