package platform

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/signing"
	"countersign/internal/upstream"
)

// NewDraft creates a draft without documents, with Countersign's own data in it, and
// returns its id.
func (c *Client) NewDraft(ctx context.Context, name string, kept jsontext.Value) (string, error) {
	var made struct {
		ID string `json:"id"`
	}
	body := map[string]any{"name": name, "status": signing.StatusDraft, "data": map[string]any{"countersign": kept}}
	err := c.call(ctx, createPackage, exchange{body: body, out: &made})
	if err == nil && made.ID == "" {
		err = fault.Wrap(fault.PlatformFailed, errors.New("createPackage: the response names no package"))
	}
	return made.ID, err
}

// Change updates the members of the package that are in changes.
func (c *Client) Change(ctx context.Context, id string, changes map[string]any) error {
	return c.call(ctx, updatePackage, exchange{values: ofPackage(id), body: changes})
}

// AddRole gives the package a role.
func (c *Client) AddRole(ctx context.Context, id string, r signing.RoleChange) error {
	return c.call(ctx, createRole, exchange{values: ofPackage(id), body: r})
}

// ChangeRole updates the members of the package's role with that id that are in changes;
// signatures that it has given stay.
func (c *Client) ChangeRole(ctx context.Context, id, role string, changes map[string]any) error {
	body := maps.Clone(changes)
	body["id"] = role
	return c.call(ctx, updateRole, exchange{values: ofRole(id, role), body: body})
}

// RemoveRole removes a role from the package, with its approvals.
func (c *Client) RemoveRole(ctx context.Context, id, role string) error {
	return c.call(ctx, deleteRole, exchange{values: ofRole(id, role)})
}

// OrderDocuments puts the package's documents into the order of ids.
func (c *Client) OrderDocuments(ctx context.Context, id string, ids []string) error {
	type place struct {
		ID    string `json:"id"`
		Index int    `json:"index"`
	}
	places := make([]place, len(ids))
	for i, document := range ids {
		places[i] = place{document, i + 1}
	}
	return c.call(ctx, updateDocuments, exchange{values: ofPackage(id), body: places})
}

// RemoveDocument removes a document from a draft.
func (c *Client) RemoveDocument(ctx context.Context, id, document string) error {
	return c.call(ctx, deleteDocument, exchange{values: ofDocument(id, document)})
}

// SetApprovals replaces all approvals of a draft's document. The platform extracts no
// fields and finds no anchors then: that needs the file, see ReplaceDocument.
func (c *Client) SetApprovals(ctx context.Context, id, document string, all []jsontext.Value) error {
	return c.call(ctx, updateApprovals, exchange{values: ofDocument(id, document), body: all})
}

// AddDocument adds a document with its file to the draft, and returns the platform's
// version of it.
func (c *Client) AddDocument(ctx context.Context, id string, d signing.Document, file io.Reader) (signing.Document, error) {
	upload, err := d.Upload(file)
	if err != nil {
		return signing.Document{}, err
	}
	defer upload.Close()
	if err := signing.CheckDocuments(upload.Payload(), signing.Context{}); err != nil {
		return signing.Document{}, err
	}
	return c.sendFile(ctx, createDocuments, ofPackage(id), upload)
}

// ReplaceDocument updates a document of the draft together with its file, so that the
// platform extracts and anchors its fields. The approvals take the place of the document's own.
func (c *Client) ReplaceDocument(ctx context.Context, id string, d signing.Document, approvals []jsontext.Value, file io.Reader) (signing.Document, error) {
	replace := updateDocument
	replace.Method = post
	upload, err := d.UploadWith(approvals, file)
	if err != nil {
		return signing.Document{}, err
	}
	defer upload.Close()
	return c.sendFile(ctx, replace, ofDocument(id, d.ID), upload)
}

// maxFile limits the file of a document, in bytes.
const maxFile = 256 << 20

// Original returns the file of a document as it was uploaded, as upstream.File: the caller
// reads it at once and closes it.
func (c *Client) Original(ctx context.Context, id, document string) (io.ReadCloser, error) {
	return c.file(ctx, getDocumentOriginal, ofDocument(id, document))
}

// PDF is Original for the file of a document as the platform shows it.
func (c *Client) PDF(ctx context.Context, id, document string) (io.ReadCloser, error) {
	return c.file(ctx, getDocumentPdf, ofDocument(id, document))
}

func (c *Client) file(ctx context.Context, op upstream.Operation, values map[string]string) (io.ReadCloser, error) {
	response, err := c.relay(ctx, op, values, nil) //nolint:bodyclose // who reads the file closes it
	if err != nil {
		return nil, err
	}
	return upstream.File(response, maxFile)
}

func ofRole(id, role string) map[string]string {
	return map[string]string{"package": id, "role": role}
}

func ofDocument(id, document string) map[string]string {
	return map[string]string{"package": id, "document": document}
}

// relay sends a streaming request; a nil body sends none.
func (c *Client) relay(ctx context.Context, op upstream.Operation, values map[string]string, body *signing.Body) (*http.Response, error) {
	path, ok := upstream.Fill(op.At(c.paths).Path, values)
	if !ok {
		return nil, fault.New(op.ByStatus(http.StatusNotFound))
	}
	var content io.Reader
	if body != nil {
		content = body
	}
	r, err := http.NewRequestWithContext(ctx, op.Method, c.upstream.URL().String()+path, content)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.ContentLength = body.Length
		r.Header.Set("Content-Type", body.ContentType)
	}
	response, err := c.upstream.Relay(op.Name, r)
	return response, Translate(op, err)
}

// readDocument decodes a document of the platform.
func readDocument(text []byte) (d signing.Document, err error) {
	if err = payload.Unmarshal(text, &d); err != nil {
		err = fault.Wrap(fault.PlatformFailed, err)
	}
	return d, err
}

// maxDocument limits the document in the platform's response, in bytes.
const maxDocument = 8 << 20

// sendFile sends an upload, and returns the document as the platform has it.
func (c *Client) sendFile(ctx context.Context, op upstream.Operation, values map[string]string, upload *signing.Upload) (signing.Document, error) {
	body, err := upload.Body()
	if err != nil {
		return signing.Document{}, err
	}
	response, err := c.relay(ctx, op, values, body)
	if ours := body.Err(); ours != nil {
		err = ours
	}
	if response == nil || err != nil {
		closeBody(response)
		return signing.Document{}, err
	}
	defer response.Body.Close()
	text, err := upstream.ReadAll(response, maxDocument, CheckSubject(op, values))
	if err != nil {
		return signing.Document{}, err
	}
	return readDocument(text)
}

func closeBody(response *http.Response) {
	if response != nil {
		response.Body.Close()
	}
}
