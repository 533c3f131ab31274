package uaf_test

import (
	"fmt"

	"countersign/internal/uaf"
)

// A relay reads a server's request on its way to the app, to recognise the response by its
// challenge.
func Example() {
	request, err := uaf.ReadRequest(uaf.OperationAuthentication, `[{
		"header": {"upv": {"major": 1, "minor": 1}, "op": "Auth", "appID": "https://login.example.org/uaf/facets"},
		"challenge": "AQIDBAUGBwg",
		"policy": {"accepted": [[{"userVerification": 1023}]]}
	}]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %x\n", request.AppID, request.Challenge)
	// Output: https://login.example.org/uaf/facets 0102030405060708
}
