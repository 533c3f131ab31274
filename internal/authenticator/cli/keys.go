package cli

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// keyFile stores the keys of the software authenticators: JSON that only its owner may
// read, since the keys in it have no other protection.
type keyFile struct {
	path    string
	Version int `json:"version"`
	// AttestationRoot signs the attestations of UAF keys of the attested model.
	AttestationRoot *softuaf.StoredAuthority `json:"attestationRoot,omitzero"`
	// ProofKey is the private key, a JWK, that sessions are bound to.
	ProofKey jsontext.Value `json:"proofKey,omitzero"`
	Keys     []*storedKey   `json:"keys"`
}

// storedKey is one key, a separate authenticator: UAF or FIDO2 is set.
type storedKey struct {
	URL      string `json:"url"`
	User     string `json:"user"`
	Protocol string `json:"protocol"`
	// Registration is the platform's id of the key's registration, or "" if it is
	// unknown.
	Registration string                          `json:"registration,omitzero"`
	CreatedAt    time.Time                       `json:"createdAt"`
	UAF          *softuaf.StoredAuthenticator    `json:"uaf,omitzero"`
	FIDO2        *authenticator.StoredCredential `json:"fido2,omitzero"`
}

const keyFileVersion = 1

// openKeyFile reads the file; a missing one counts as empty.
func openKeyFile(path string) (*keyFile, error) {
	f := &keyFile{path: path, Version: keyFileVersion}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" { // Windows has no such modes
		return nil, fmt.Errorf("%s has private keys and can be read by others (mode %04o): chmod 600 it", path, info.Mode().Perm())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("%s is not a key file: %w", path, err)
	}
	if f.Version != keyFileVersion {
		return nil, fmt.Errorf("%s is of version %d, which this program does not know", path, f.Version)
	}
	return f, nil
}

// save replaces the file in one step, so that an interrupted write loses no key.
func (f *keyFile) save() error {
	data, err := json.Marshal(f, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(f.path), ".authenticator-*") // has mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name()) // does nothing if the renaming succeeded
	_, err = draft.Write(append(data, '\n'))
	if err = errors.Join(err, draft.Close()); err != nil {
		return err
	}
	return os.Rename(draft.Name(), f.path)
}

// id returns the name of a key in the terminal.
func (k *storedKey) id() string {
	var id []byte
	switch {
	case k.UAF != nil:
		id = k.UAF.KeyID
	case k.FIDO2 != nil:
		id = k.FIDO2.ID
	}
	return hex.EncodeToString(id[:min(len(id), 4)])
}

// candidates returns the keys that fit the flags, the newest first.
func (t *terminal) candidates() ([]*storedKey, error) {
	var found []*storedKey
	for _, k := range t.keys.Keys {
		if k.URL == t.app.Origin() && k.User == t.user && (t.protocol == "" || k.Protocol == t.protocol) && strings.HasPrefix(k.id(), t.key) {
			found = append(found, k)
		}
	}
	slices.SortStableFunc(found, func(a, b *storedKey) int { return cmp.Compare(b.CreatedAt.UnixNano(), a.CreatedAt.UnixNano()) })
	if len(found) == 0 && t.key != "" {
		return nil, fmt.Errorf("key %s of %s at %s not found in %s: countersign authenticator list shows the keys", t.key, t.user, t.app.Origin(), t.keys.path)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no key of %s at %s found in %s: countersign authenticator register makes one", t.user, t.app.Origin(), t.keys.path)
	}
	return found, nil
}

// root returns the attestation root, which it makes at the first need.
func (f *keyFile) root(now time.Time) (*softuaf.Authority, error) {
	if f.AttestationRoot != nil {
		return f.AttestationRoot.Restore()
	}
	root, err := softuaf.NewRoot(uaf.AlgorithmP256DER, now)
	if err != nil {
		return nil, err
	}
	stored, err := root.Store()
	if err != nil {
		return nil, err
	}
	f.AttestationRoot = &stored
	return root, f.save()
}
