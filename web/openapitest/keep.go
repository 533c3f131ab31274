package openapitest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Kept is an exchange in a file, for another judge.
type Kept struct {
	// Document is the name of the file of the OpenAPI document, in the same folder.
	Document  string
	Operation string
	Method    string
	URL       string
	Header    http.Header
	Sent      []byte
	Status    int
	Answered  http.Header
	Content   []byte
}

// mostKept bounds the bodies of exchanges that are kept.
const mostKept = 1 << 20

// keeper writes exchanges to a folder, one of each operation, status and shape.
type keeper struct {
	folder, document string

	mu   sync.Mutex
	kept map[string]bool
}

// KeepIn makes the Checker write the exchanges that it meets to a folder, one of each
// operation, status and shape, for another judge. Several Checkers may share a folder.
func (c *Checker) KeepIn(folder string, document []byte) error {
	name := nameOf(document) + ".openapi.json"
	if err := write(filepath.Join(folder, name), document); err != nil {
		return fmt.Errorf("openapitest: keep the document: %w", err)
	}
	c.keeper = &keeper{folder: folder, document: name, kept: map[string]bool{}}
	return nil
}

// keep writes an exchange of operation, unless one like it is kept already.
func (k *keeper) keep(operation string, e exchange) error {
	if k == nil || operation == Elsewhere || e.isInterstitial() || len(e.sent)+len(e.content) > mostKept {
		return nil
	}
	like := fmt.Sprint(k.document, operation, e.request.Method, e.answer.StatusCode, e.request.Header.Get("Content-Type") != "", e.mediaType(), shapeOf(e.sent), shapeOf(e.content))
	name := nameOf([]byte(like)) + ".exchange.json"
	k.mu.Lock()
	known := k.kept[name]
	k.kept[name] = true
	k.mu.Unlock()
	if known {
		return nil
	}
	content, err := json.Marshal(Kept{
		Document: k.document, Operation: operation, Method: e.request.Method, URL: e.request.URL.String(), Header: e.request.Header,
		Sent: e.sent, Status: e.answer.StatusCode, Answered: e.answer.Header, Content: e.content,
	})
	if err != nil {
		return err
	}
	return write(filepath.Join(k.folder, name), content)
}

// write makes a file, unless it is there: other test programs write to the same folder.
func write(name string, content []byte) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// shapeOf returns the members and types of a JSON body, without its values; of any other
// body only whether there is one.
func shapeOf(body []byte) string {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return fmt.Sprint(len(body) > 0)
	}
	return shape(value)
}

func shape(value any) string {
	var parts []string
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			parts = append(parts, name+":"+shape(member))
		}
	case []any:
		for _, element := range v {
			parts = append(parts, shape(element))
		}
	default:
		return fmt.Sprintf("%T", value)
	}
	slices.Sort(parts)
	return fmt.Sprintf("%T{%s}", value, strings.Join(slices.Compact(parts), ","))
}

func nameOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:12])
}
