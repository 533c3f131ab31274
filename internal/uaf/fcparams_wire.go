package uaf

import (
	"github.com/go-json-experiment/json/jsontext"
)

type fcParamsWire struct {
	AppID          *string         `json:"appID"`
	Challenge      *string         `json:"challenge"`
	FacetID        *string         `json:"facetID"`
	ChannelBinding *ChannelBinding `json:"channelBinding"`
}

// UnmarshalJSONFrom reads and checks the dictionary.
func (p *FinalChallengeParams) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[fcParamsWire](dec)
	if err != nil {
		return err
	}
	err = first(
		need(&p.AppID, wire.AppID, "appID"),
		need(&p.Challenge, wire.Challenge, "challenge"),
		need(&p.FacetID, wire.FacetID, "facetID"),
		need(&p.ChannelBinding, wire.ChannelBinding, "channelBinding"),
	)
	if err != nil {
		return err
	}
	return p.check()
}

// UnmarshalJSONFrom reads the dictionary; a present member must not be empty.
func (b *ChannelBinding) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[struct {
		ServerEndPoint       text `json:"serverEndPoint"`
		TLSServerCertificate text `json:"tlsServerCertificate"`
		TLSUnique            text `json:"tlsUnique"`
		ChannelIDPublicKey   text `json:"cid_pubkey"`
	}](dec)
	*b = ChannelBinding{
		ServerEndPoint: string(wire.ServerEndPoint), TLSServerCertificate: string(wire.TLSServerCertificate),
		TLSUnique: string(wire.TLSUnique), ChannelIDPublicKey: string(wire.ChannelIDPublicKey),
	}
	return err
}

func (p FinalChallengeParams) check() error {
	if err := checkLength("appID", p.AppID, 1, maxAppID); err != nil {
		return err
	}
	if err := checkLength("facetID", p.FacetID, 1, maxAppID); err != nil {
		return err
	}
	_, err := p.ChallengeBytes()
	return err
}
