package proofs

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/seal"
)

// Entry is what is kept when the signing page opens for a signer.
type Entry struct {
	Role string `json:"role"`
	// Signer is the signer's e-mail address.
	Signer string    `json:"signer"`
	At     time.Time `json:"at"`
	// Signed says that the role had signed already: no signature stands on the entry.
	Signed bool `json:"signed,omitzero"`
	// Passkey and Identity are the proofs that were asked for; nil for one that was not.
	Passkey  *Passkey  `json:"passkey,omitempty"`
	Identity *Identity `json:"identity,omitempty"`
	// Documents are those that the role may see, unless there are more than maxDocuments;
	// then DocumentsHash stands for all of them.
	Documents     []Document `json:"documents,omitempty"`
	DocumentsHash string     `json:"documentsHash,omitempty"`
}

// Passkey is a sign-in by FIDO2 or UAF.
type Passkey struct {
	// Protocol is FIDO2 or UAF11.
	Protocol string `json:"protocol"`
	// Provider is who made the passkey; AAGUID and AAID are its model, in FIDO2 and in
	// UAF. nil is not known.
	Provider *string `json:"provider"`
	AAGUID   *string `json:"aaguid"`
	AAID     *string `json:"aaid"`
	// Kind is DeviceBound or synced, nil if it is not known.
	Kind *string `json:"kind"`
	// At is the time of the sign-in.
	At time.Time `json:"at"`
	// Ceremony is SHA-256 of the decoded challenge, in base64url.
	Ceremony string `json:"ceremony"`
}

// Identity is an identity check of the signer's own.
type Identity struct {
	Transaction string    `json:"transaction"`
	Completed   time.Time `json:"completed"`
	// Name is what the document says.
	Name string `json:"name"`
}

// Document is a document with SHA-256 of its PDF, in lower-case hex.
type Document struct {
	ID     string `json:"id"`
	SHA256 string `json:"sha256"`
}

// maxDocuments is the most documents of an entry that are named one by one.
const maxDocuments = 10

// MarshalJSON leaves out the model of the protocol that was not used.
func (p Passkey) MarshalJSON() ([]byte, error) {
	type plain Passkey
	text, err := json.Marshal(plain(p))
	if err != nil {
		return nil, err
	}
	other := "aaid"
	if p.Protocol != "FIDO2" {
		other = "aaguid"
	}
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	delete(members, other)
	return json.Marshal(members, json.Deterministic(true))
}

// SetDocuments sets the documents of e.
func (e *Entry) SetDocuments(all []Document) {
	e.Documents, e.DocumentsHash = all, ""
	if len(all) > maxDocuments {
		e.Documents, e.DocumentsHash = nil, HashOf(all)
	}
}

// HashOf returns SHA-256 of the sorted lines "id sha256" of the documents, each ended by a
// line feed, as sort and sha256sum make it.
func HashOf(all []Document) string {
	lines := make([]string, len(all))
	for i, d := range all {
		lines[i] = d.ID + " " + d.SHA256 + "\n"
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}

// meets reports whether e has what is asked.
func (e Entry) meets(asked ProofRequirement) bool {
	return (asked.Passkey == nil || e.Passkey != nil && asked.Passkey.Allows(e.Passkey.At, e.At) && e.Passkey.isAs(*asked.Passkey)) &&
		(asked.Identity == nil || e.Identity != nil && asked.Identity.Allows(e.Identity.Completed, e.At))
}

// DeviceBound is the kind of a key that cannot leave its device.
const DeviceBound = "device-bound"

// isAs reports whether p is of the kind that is asked.
func (p Passkey) isAs(asked PasskeyRequirement) bool {
	return !asked.DeviceBound || p.Kind != nil && *p.Kind == DeviceBound
}

// Lacks returns the reason why p, which is not too old, is not as asked: its kind, or "unknown";
// "" if it is.
func (p Passkey) Lacks(asked PasskeyRequirement) string {
	switch {
	case p.isAs(asked):
		return ""
	case p.Kind == nil:
		return "unknown"
	}
	return *p.Kind
}

// Keeper seals entries for packages.
type Keeper struct{ sealer seal.Sealer }

// NewKeeper returns a Keeper with keys derived from ACCESS_KEYS.
func NewKeeper(keys seal.Keys) Keeper {
	return Keeper{keys.For("countersign kept proofs of a package")}
}

const (
	// maxPerRole is how many entries of a role a package keeps.
	maxPerRole = 20
	// maxSealed limits the sealed entries of a package, in bytes, so that they fit into
	// Countersign's own data beside everything else.
	maxSealed = 40 << 10
	// maxOpened limits what is read of entries, in bytes.
	maxOpened = 4 << 20
)

// Open returns the entries of a package, the oldest first; none for a text that Seal did not
// make for it.
func (k Keeper) Open(pkg, text string) (entries []Entry) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || text == "" {
		return nil
	}
	small, ok := k.sealer.Open(sealed, []byte(pkg))
	if !ok {
		return nil
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(small)), maxOpened))
	if err != nil || json.Unmarshal(plain, &entries) != nil {
		return nil
	}
	return entries
}

// Seal returns the entries of a package, the oldest first, as a text: the newest 20 of each
// role, and fewer if they were too long. An entry that a signature stands on goes last:
// signed tells when a role signed.
func (k Keeper) Seal(pkg string, entries []Entry, signed func(role string) time.Time) string {
	entries = slices.Clone(entries)
	for _, role := range rolesOf(entries) {
		for count(entries, role) > maxPerRole {
			entries = withoutOldest(entries, signed, func(e Entry) bool { return e.Role == role })
		}
	}
	for {
		text := base64.RawURLEncoding.EncodeToString(k.sealer.Seal(deflated(entries), []byte(pkg)))
		if len(text) <= maxSealed || len(entries) < 2 {
			return text
		}
		for range max(1, len(entries)*(len(text)-maxSealed)/len(text)/2) {
			entries = withoutOldest(entries, signed, func(Entry) bool { return true })
		}
	}
}

func rolesOf(entries []Entry) (roles []string) {
	for _, e := range entries {
		if !slices.Contains(roles, e.Role) {
			roles = append(roles, e.Role)
		}
	}
	return roles
}

func count(entries []Entry, role string) (n int) {
	for _, e := range entries {
		if e.Role == role {
			n++
		}
	}
	return n
}

// withoutOldest drops the oldest of some entries, but the last one before a role's
// signature, and the newest of a role, only if there is no other.
func withoutOldest(entries []Entry, signed func(role string) time.Time, some func(Entry) bool) []Entry {
	drop := -1
	for i, e := range entries {
		if some(e) && !supports(entries, i, signed(e.Role)) {
			drop = i
			break
		}
	}
	if drop < 0 {
		drop = slices.IndexFunc(entries, some)
	}
	return slices.Delete(entries, drop, drop+1)
}

// supports reports whether entry i is the last of its role, or the last before the role
// signed.
func supports(entries []Entry, i int, signed time.Time) bool {
	later := false
	for _, e := range entries[i+1:] {
		if e.Role != entries[i].Role {
			continue
		}
		if signed.IsZero() || !entries[i].before(signed) || e.before(signed) {
			return false
		}
		later = true
	}
	return !later || entries[i].before(signed)
}

func deflated(entries []Entry) []byte {
	plain, err := json.Marshal(entries, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // texts and times always encode
	}
	var small bytes.Buffer
	w, err := flate.NewWriter(&small, flate.BestCompression)
	if err != nil {
		panic(err) // of a level that exists
	}
	_, _ = w.Write(plain) // into memory
	_ = w.Close()
	return small.Bytes()
}
