package operation_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

func TestMain(m *testing.M) {
	pdftest.Serve()
	os.Exit(m.Run())
}

// Every form of installation shows a scan of A4 within what it allows: with the workers for
// which its memory suffices, code only in the folder that it names, and no folder of a user.
func TestInstallation_ShowsScan(t *testing.T) {
	image := read(t, "../Dockerfile")
	for name, form := range map[string]struct{ text, memory, cache string }{
		"the unit":   {read(t, "systemd/countersign.service"), `(?m)^MemoryMax=(\d+)M$`, `(?m)^Environment=COUNTERSIGN_PDF_CACHE_DIR=%C/(\S+)$`},
		"compose":    {read(t, "compose/common.yaml") + image, `mem_limit: (\d+)m`, `COUNTERSIGN_PDF_CACHE_DIR=/var/tmp/(\S+)`},
		"Kubernetes": {read(t, "kubernetes/countersign.yaml") + image, `limits: .*memory: (\d+)Gi`, `COUNTERSIGN_PDF_CACHE_DIR=/var/tmp/(\S+)`},
		"the image":  {image, `()`, `COUNTERSIGN_PDF_CACHE_DIR=/var/tmp/(\S+)`},
	} {
		memory, cache := regexp.MustCompile(form.memory).FindStringSubmatch(form.text), regexp.MustCompile(form.cache).FindStringSubmatch(form.text)
		if memory == nil || cache == nil || strings.Contains(form.text, "\nMemoryDenyWriteExecute=yes") {
			t.Errorf("%s: memory %v, folder of code %v; or machine code is forbidden", name, memory, cache)
			continue
		}
		o := pdftest.Options()
		o.Timeout, o.Memory, o.Environ = 0, mebibytes(memory[0], memory[1]), []string{}
		w := pdf.NewWorkers(o)
		const program, worker = 128 << 20, (160 + 96 + 48) << 20
		if o.Memory > 0 && uint64(w.Processes())*worker+program > o.Memory {
			t.Errorf("%s: %d workers in %d MiB", name, w.Processes(), o.Memory>>20)
		}
		if picture, ok, err := w.Draw(t.Context(), pdftest.Scan(300), 0, 800); err != nil || !ok || len(picture.PNG) < 10_000 {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
		w.Close()
	}
}

// mebibytes returns a number of mebibytes, or of gibibytes where the text says so.
func mebibytes(text, number string) uint64 {
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return 0
	}
	if strings.Contains(text, "Gi") {
		n <<= 10
	}
	return n << 20
}
