package signingproxy

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"

	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
)

// documentsZip answers with an archive of all documents of a package. A signer who can
// not see all of them gets an archive of those that they may see.
func (p *Proxy) documentsZip(c *call) error {
	if c.grant.Access != index.Signer {
		return p.read(c)
	}
	names, all, err := p.visibleDocuments(c)
	if err != nil {
		return err
	}
	if all {
		return p.read(c)
	}
	return p.zipOf(c, names)
}

// visibleDocuments returns the documents that the signer may see, and whether these are
// all.
func (p *Proxy) visibleDocuments(c *call) (visible []signing.Document, all bool, err error) {
	pkg, err := p.Service.Platform.Package(c.ctx(), c.packageID())
	if err != nil {
		return nil, false, err
	}
	for _, d := range pkg.Documents {
		if c.grant.Sees(d.ID) {
			visible = append(visible, d)
		}
	}
	return visible, len(visible) == len(pkg.Documents), nil
}

// zipOf answers with an archive of the PDFs of documents. If a PDF breaks off, the
// client's connection breaks off too.
func (p *Proxy) zipOf(c *call, documents []signing.Document) error {
	c.gin.Header("Content-Type", "application/zip")
	c.gin.Header("Content-Disposition", disposition("", c.fileName(), false))
	c.gin.Status(http.StatusOK)
	if c.gin.Request.Method == http.MethodHead {
		return nil
	}
	archive := zip.NewWriter(c.gin.Writer)
	for i, d := range documents {
		if err := p.addDocument(c, archive, fmt.Sprintf("%d-%s.pdf", i+1, safeName(d.Name)), d.ID); err != nil {
			request.LogCause(c.gin, err)
			panic(http.ErrAbortHandler)
		}
	}
	if err := archive.Close(); err != nil {
		request.LogCause(c.gin, err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// addDocument streams the PDF of a document into the archive.
func (p *Proxy) addDocument(c *call, archive *zip.Writer, name, id string) error {
	one := &call{gin: c.gin, operation: p.documentPDF, values: map[string]string{"package": c.packageID(), "document": id}}
	response, err := p.send(one, requestBody{})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	entry, err := archive.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(entry, response.Body)
	return err
}
