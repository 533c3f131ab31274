package pdf

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// maxPDFiumPages limits PDFium's own memory: 256 MiB in pages of 64 KiB.
const maxPDFiumPages = 4096

// instanceTimeout limits how long PDFium takes to start once it is compiled.
const instanceTimeout = time.Minute

// startPDFium starts PDFium without access to files, environment or clock. Its machine
// code is kept in cache, which only this user may write; with "" it is compiled anew. The
// code does not look whether a context has ended, which would make it two to three times as
// slow: whoever asks ends the process instead (ask).
func startPDFium(cache string) (pdfium.Pdfium, error) {
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(maxPDFiumPages)
	if cache != "" {
		kept, err := wazero.NewCompilationCacheWithDir(cache)
		if err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(kept)
	}
	pool, err := webassembly.Init(webassembly.Config{
		Context: context.Background(), MinIdle: 1, MaxIdle: 1, MaxTotal: 1, ReuseWorkers: true,
		RuntimeConfig: config, FSConfig: wazero.NewFSConfig(), Stdout: io.Discard, Stderr: os.Stderr,
	})
	if err != nil {
		return nil, err
	}
	return pool.GetInstance(instanceTimeout)
}

// opened is a document that PDFium has open.
type opened struct {
	pdfium.Pdfium
	document references.FPDF_DOCUMENT
	form     references.FPDF_FORMHANDLE
	count    int // pages
	// mayHaveFields says that the file has a form or, in plain text, a field without one.
	mayHaveFields bool
}

// open opens a file; its error is a *Refusal if the file is at fault.
func open(p pdfium.Pdfium, file []byte) (*opened, error) {
	d, err := p.OpenDocument(&requests.OpenDocument{FileReader: bytes.NewReader(file), FileReaderSize: int64(len(file))})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return nil, &Refusal{Reason: reasonPassword}
	case err != nil:
		return nil, &Refusal{Reason: reasonDamaged}
	}
	o := &opened{Pdfium: p, document: d.Document}
	pages, err := p.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d.Document})
	if err != nil {
		o.close()
		return nil, err
	}
	o.count = pages.PageCount
	switch {
	case o.count == 0:
		err = &Refusal{Reason: reasonNoPages}
	case o.count > maxPages:
		err = &Refusal{Reason: reasonTooMuch}
	default:
		err = o.openForm(file)
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// openForm loads the fields of the form into PDFium, without callbacks for redrawing,
// because no field changes.
func (o *opened) openForm(file []byte) error {
	kind, err := o.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: o.document})
	if err != nil {
		return err
	}
	o.mayHaveFields = kind.FormType != enums.FPDF_FORMTYPE_NONE || bytes.Contains(file, []byte("/Widget"))
	form, err := o.FPDFDOC_InitFormFillEnvironment(&requests.FPDFDOC_InitFormFillEnvironment{
		Document: o.document,
		FormFillInfo: structs.FPDF_FORMFILLINFO{
			FFI_Invalidate:         func(references.FPDF_PAGE, float64, float64, float64, float64) {},
			FFI_SetCursor:          func(enums.FXCT) {},
			FFI_SetTimer:           func(int, func(int)) int { return 0 },
			FFI_KillTimer:          func(int) {},
			FFI_GetLocalTime:       func() structs.FPDF_SYSTEMTIME { return structs.FPDF_SYSTEMTIME{} },
			FFI_GetPage:            func(references.FPDF_DOCUMENT, int) *references.FPDF_PAGE { return nil },
			FFI_GetRotation:        func(references.FPDF_PAGE) enums.FPDF_PAGE_ROTATION { return 0 },
			FFI_ExecuteNamedAction: func(string) {},
		},
	})
	if err != nil {
		return err
	}
	o.form = form.FormHandle
	return nil
}

// close frees the document's memory.
func (o *opened) close() {
	if o.form != "" {
		_, _ = o.FPDFDOC_ExitFormFillEnvironment(&requests.FPDFDOC_ExitFormFillEnvironment{FormHandle: o.form})
	}
	_, _ = o.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: o.document})
}
