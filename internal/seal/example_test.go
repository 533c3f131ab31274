package seal_test

import (
	"bytes"
	"fmt"

	"countersign/internal/seal"
)

// A key is changed: what the old one sealed still opens, and only for its purpose and its subject.
func Example() {
	before, after := bytes.Repeat([]byte{1}, seal.KeyLength), bytes.Repeat([]byte{2}, seal.KeyLength)
	keys, err := seal.New(before)
	if err != nil {
		fmt.Println(err)
		return
	}
	notes := keys.For("notes")
	sealed := notes.Seal([]byte("call back at noon"), []byte("alice"))

	if err := keys.Replace(after, before); err != nil {
		fmt.Println(err)
		return
	}
	plain, ok := notes.Open(sealed, []byte("alice"))
	fmt.Println(string(plain), ok)
	_, ok = notes.Open(sealed, []byte("bob"))
	fmt.Println(ok)
	_, ok = keys.For("letters").Open(sealed, []byte("alice"))
	fmt.Println(ok)
	// Output:
	// call back at noon true
	// false
	// false
}
