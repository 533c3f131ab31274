package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

const damaged = "the file is damaged"

func TestRead_RefusedFiles(t *testing.T) {
	w := workers(t)
	whole := pdftest.Form()
	for name, one := range map[string]struct {
		file   []byte
		reason string
	}{
		"empty":                                  {nil, damaged},
		"no PDF":                                 {[]byte("hello"), damaged},
		"no head":                                {bytes.Replace(pdftest.Form(), []byte("%PDF-1.7\n"), nil, 1), damaged},
		"a head alone":                           {[]byte("%PDF-1.7\n%%EOF\n"), damaged},
		"no pages":                               {pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 0>>"), "the file has no pages"},
		"a loop of pages":                        {pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>", "<</Type/Pages/Kids[2 0 R]/Count 1>>"), damaged},
		"a password":                             {pdftest.Encrypted, "the file is protected by a password"},
		"a password, named in the trailer alone": {bytes.Replace(pdftest.Encrypted, []byte("/Encrypt 6 0 R"), []byte("/Encrypt<</V 5>>/X 6 0 R"), 1), "the file is protected by a password"},
		"too many fields": {pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
			"<</Type/Page/Parent 2 0 R/Annots["+strings.Repeat("<</T(a)/Subtype/Widget/Rect[0 0 1 1]>>", 20001)+"]>>"), "the file has too many pages or fields"},
	} {
		_, err := w.Read(t.Context(), one.file, nil)
		refused(t, err, one.reason)
		if d, err := w.Read(t.Context(), whole, nil); err != nil || len(d.Fields) != 5 {
			t.Errorf("after %s: %+v %v", name, d, err)
		}
	}
}

// The size of a page is known without its content, however long that is.
func TestRead_SizesWithoutPageContent(t *testing.T) {
	w := pdf.NewWorkers(options(func(o *pdf.Options) { o.Timeout = 5 * time.Second }))
	t.Cleanup(w.Close)
	long := pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Rotate 90/Contents 4 0 R>>", repeated("", "q ", 16<<20))
	d, err := w.Read(t.Context(), long, nil)
	if err != nil || len(d.Pages) != 1 || d.Pages[0] != (pdf.Page{Width: 800, Height: 600}) {
		t.Errorf("%+v %v", d, err)
	}
	t.Cleanup(w.Occupy()) // what was read last is remembered, and is its reader's own
	d.Pages[0].Width = 1
	if again, err := w.Read(t.Context(), long, nil); err != nil || again.Pages[0].Width != 800 {
		t.Errorf("%+v %v", again, err)
	}
}

// A broken file is read as far as it goes.
func TestRead_BrokenFiles(t *testing.T) {
	w := workers(t)
	for name, file := range map[string][]byte{
		"no table":      bytes.Replace(pdftest.Form(), []byte("startxref"), []byte("startxxxx"), 1),
		"wrong offsets": bytes.Replace(pdftest.Form(), []byte("%PDF-1.7\n"), []byte("%PDF-1.7\n%%%%%%%%%%%\n"), 1),
		"more in front": append([]byte("\n\n"), pdftest.Form()...),
		"a newer head":  bytes.Replace(pdftest.Form(), []byte("%PDF-1.7"), []byte("%PDF-1.9"), 1),
		"half a table":  bytes.Replace(pdftest.Form(), []byte("xref\n0 12"), []byte("xref\n0 99"), 1),
		"no size":       bytes.Replace(pdftest.Form(), []byte("/Size"), []byte("/Sise"), 1),
	} {
		if d, err := w.Read(t.Context(), file, nil); err != nil || len(d.Fields) != 5 {
			t.Errorf("%s: %+v %v", name, d, err)
		}
	}
}

// A file that takes too long or too much memory, or makes the process crash, is refused,
// and others are read meanwhile.
func TestWorkers_OtherFilesReadMeanwhile(t *testing.T) {
	w := pdf.NewWorkers(options(func(o *pdf.Options) { o.Processes = 3 }))
	t.Cleanup(w.Close)
	deep := pdftest.File("<</Type/Catalog/Pages 2 0 R>>", strings.Repeat("[", 200_000))
	bomb := pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>", deflated("", 8<<20))
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			if _, err := w.Read(t.Context(), [][]byte{deep, bomb}[i%2], []pdf.Anchor{{Text: "x"}}); err == nil && i%2 == 0 {
				t.Error("read what has no pages")
			}
		})
		all.Go(func() {
			if d, err := w.Read(t.Context(), pdftest.Form(), nil); err != nil || len(d.Fields) != 5 {
				t.Errorf("%+v %v", d, err)
			}
		})
	}
	all.Wait()
}

func TestRead_TakesTooLong(t *testing.T) {
	w := pdf.NewWorkers(options(func(o *pdf.Options) { o.Timeout = time.Nanosecond }))
	t.Cleanup(w.Close)
	for range 3 {
		_, err := w.Read(t.Context(), pdftest.Form(), nil)
		refused(t, err, "the file takes too long to read")
		if n := w.KillIdle(); n != 1 {
			t.Errorf("%d processes are there for the next file", n)
		}
	}
	_, err := pdf.NewWorkers(pdf.Options{Command: []string{"/nonexistent"}}).Read(t.Context(), pdftest.Form(), nil)
	if refusal, ok := errors.AsType[*pdf.Refusal](err); !ok || !refusal.Busy {
		t.Errorf("without a process: %v", err)
	}
}

// A file waits while every process is busy, but not for ever.
func TestWorkers_TooManyFilesAtOnce(t *testing.T) {
	hasty := pdf.NewWorkers(options(func(o *pdf.Options) { o.Timeout = time.Millisecond }))
	t.Cleanup(hasty.Close)
	release := hasty.Occupy()
	_, err := hasty.Read(t.Context(), pdftest.Form(), nil)
	refused(t, err, "too many files are read at once")
	if refusal, ok := errors.AsType[*pdf.Refusal](err); !ok || !refusal.Busy {
		t.Errorf("%v does not say that it may be tried again", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := workersOccupied(t).Read(gone, pdftest.Form(), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	release()

	patient := workers(t)
	release = patient.Occupy()
	read := make(chan error, 1)
	go func() {
		_, err := patient.Read(t.Context(), pdftest.Form(), nil)
		read <- err
	}()
	release()
	if err := <-read; err != nil {
		t.Error(err)
	}
}

// options returns pdftest's options, changed.
func options(change func(*pdf.Options)) pdf.Options {
	o := pdftest.Options()
	change(&o)
	return o
}

func workersOccupied(t *testing.T) *pdf.Workers {
	t.Helper()
	w := workers(t)
	t.Cleanup(w.Occupy())
	return w
}
