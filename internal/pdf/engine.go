package pdf

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
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

	"countersign/internal/pdf/fonts"
)

// maxPDFiumPages limits PDFium's own memory: 160 MiB in pages of 64 KiB.
const maxPDFiumPages = 2560

// instanceTimeout limits how long PDFium takes to start once it is compiled.
const instanceTimeout = time.Minute

// engine is PDFium, and the fonts that it has.
type engine struct {
	pdfium.Pdfium
	pool  pdfium.Pool
	fonts *fonts.Set
	files *standIns
}

// startPDFium starts PDFium without access to environment or clock, and to no files but the
// fonts that stand in for others; those in fontsDir are among them. Its machine
// code is kept in cache, which only this user may write; with "" it is compiled again. The
// code does not look whether a context has ended, which would make it two to three times as
// slow: the caller ends the process instead (ask).
func startPDFium(cache, fontsDir string) (*engine, error) {
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
	set := fonts.New(fontsDir)
	e := &engine{fonts: set, files: &standIns{FS: set.FS()}}
	var err error
	e.pool, err = webassembly.Init(webassembly.Config{
		Context: experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(allocate)), MaxIdle: 1, MaxTotal: 1,
		RuntimeConfig: config, FSConfig: wazero.NewFSConfig().WithFSMount(e.files, "/"), Stdout: io.Discard, Stderr: os.Stderr,
	})
	if err != nil {
		return nil, err
	}
	e.Pdfium, err = e.pool.GetInstance(instanceTimeout)
	return e, err
}

// standIns is the file system of PDFium, which changes with what is learned of fonts.
type standIns struct{ fs.FS }

// renew starts PDFium again, as a program that knows no font yet. No document is open.
func (e *engine) renew() (err error) {
	e.files.FS = e.fonts.FS()
	if err = e.Close(); err != nil {
		return err
	}
	e.Pdfium, err = e.pool.GetInstance(instanceTimeout)
	return err
}

// openDocument is a document that PDFium has open.
type openDocument struct {
	*engine
	document references.FPDF_DOCUMENT
	form     references.FPDF_FORMHANDLE
	count    int // pages
	// mayHaveFields says that the file has a form or, in plain text, a field without one.
	mayHaveFields bool
	// sealed says that the file has, in plain text as it must be, what a signature covers.
	sealed bool
	// limits counts the fields whose limits were looked for, by maxTyped.
	limits [2]int
}

// open opens a file; its error is a *Refusal if the file is at fault.
func open(e *engine, file []byte) (*openDocument, error) {
	d, err := e.OpenDocument(&requests.OpenDocument{FileReader: bytes.NewReader(file), FileReaderSize: int64(len(file))})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return nil, &Refusal{Reason: reasonPassword}
	case err != nil:
		return nil, &Refusal{Reason: reasonDamaged}
	}
	o := &openDocument{engine: e, document: d.Document}
	pages, err := e.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d.Document})
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
// because nothing is drawn of a field that changes.
func (o *openDocument) openForm(file []byte) error {
	kind, err := o.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: o.document})
	if err != nil {
		return err
	}
	o.mayHaveFields = kind.FormType != enums.FPDF_FORMTYPE_NONE || bytes.Contains(file, []byte("/Widget"))
	o.sealed = bytes.Contains(file, []byte("/ByteRange"))
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
			FFI_SetTextFieldFocus:  func(string, bool) {},
			FFI_OutputSelectedRect: func(references.FPDF_PAGE, float64, float64, float64, float64) {},
			FFI_OnChange:           func() {},
		},
	})
	if err != nil {
		return err
	}
	o.form = form.FormHandle
	return nil
}

// close frees the document's memory.
func (o *openDocument) close() {
	if o.form != "" {
		_, _ = o.FPDFDOC_ExitFormFillEnvironment(&requests.FPDFDOC_ExitFormFillEnvironment{FormHandle: o.form})
	}
	_, _ = o.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: o.document})
}
