package uaf

import (
	"github.com/go-json-experiment/json/jsontext"
)

// Version is a protocol version, {major, minor}.
type Version struct {
	Major uint16 `json:"major"`
	Minor uint16 `json:"minor"`
}

// ProtocolVersion returns the only version that this package supports.
func ProtocolVersion() Version { return Version{Major: 1, Minor: 1} }

// Operation is the purpose of a message, header.op.
type Operation string

// The operations.
const (
	OperationRegistration   Operation = "Reg"
	OperationAuthentication Operation = "Auth"
	OperationDeregistration Operation = "Dereg"
)

// Header opens every message (UAF protocol, section on the OperationHeader). A client
// returns the request's header with its response.
type Header struct {
	Version    Version   `json:"upv"`
	Operation  Operation `json:"op"`
	AppID      string    `json:"appID,omitzero"`      // up to 512 characters
	ServerData string    `json:"serverData,omitzero"` // up to 1536 characters, opaque to clients
	// Extensions apply to the message as a whole.
	Extensions []Extension `json:"exts,omitempty"`
}

type headerWire struct {
	Version    *Version        `json:"upv"`
	Operation  *Operation      `json:"op"`
	AppID      *string         `json:"appID"`
	ServerData *text           `json:"serverData"`
	Extensions list[Extension] `json:"exts"`
}

// UnmarshalJSONFrom reads the dictionary and checks its limits. The message
// checks operation and version.
func (h *Header) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[headerWire](dec)
	if err != nil {
		return err
	}
	err = first(need(&h.Version, wire.Version, "upv"), need(&h.Operation, wire.Operation, "op"))
	if err != nil {
		return err
	}
	h.AppID, h.ServerData = optional(wire.AppID), string(optional(wire.ServerData))
	h.Extensions = wire.Extensions
	return h.checkLimits()
}

func (h Header) checkLimits() error {
	return first(
		checkLength("appID", h.AppID, 0, maxAppID),
		checkLength("serverData", h.ServerData, 0, maxServerData),
	)
}

// checkRequest makes the checks of a client, and of a server that builds the request.
func (h Header) checkRequest() error {
	return first(h.checkLimits(), CheckExtensions("header", h.Extensions))
}

// check compares the header with the operation of its message. The extensions are checked
// by the party that acts on the message.
func (h Header) check(operation Operation) error {
	if h.Version != ProtocolVersion() {
		return unacceptable("version %d.%d is not supported", h.Version.Major, h.Version.Minor)
	}
	if h.Operation != operation {
		return unacceptable("the header's operation is not %s", operation)
	}
	return nil
}
