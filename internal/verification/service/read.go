package service

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
	"countersign/internal/verification/platform"
)

// List returns a part of the actor's own transactions from the index; for operators, of
// all transactions in it.
func (s *Service) List(ctx context.Context, who access.Actor, q index.Query) (index.Page, error) {
	page, err := s.Index.List(ctx, who.Person, q)
	if err == nil {
		who.Reads("listTransactions", "", "")
	}
	return page, err
}

// Erased returns the transactions of the actor's own list that were erased within the last
// day; for operators, of the list of all.
func (s *Service) Erased(ctx context.Context, who access.Actor) ([]index.ErasedCheck, error) {
	return s.Index.ErasedChecks(ctx, who.Person)
}

// Details is a transaction with what only the index knows.
type Details struct {
	Transaction
	Item index.Item
	// TrailReady says that an audit trail has been made, and TrailAsked that it has been
	// made or may still be under way.
	TrailAsked, TrailReady bool
}

// Details returns the details of a transaction.
func (s *Service) Details(ctx context.Context, who access.Actor, id string) (d Details, err error) {
	if d.Transaction, err = s.Get(ctx, who, id); err != nil {
		return d, err
	}
	var known bool
	if d.Item, known, err = s.Index.Item(ctx, id); err != nil {
		return d, err
	}
	if !known {
		return d, fault.Wrap(fault.ServerUnavailable, errors.New("service: the index lost a transaction that it was told of"))
	}
	link, underWay, err := s.Index.Trail(ctx, id)
	d.TrailReady = d.HasTrail() && link != ""
	d.TrailAsked = d.TrailReady || underWay
	return d, err
}

// Show returns the part of a transaction that the actor may see, without the members
// named in without. Only the starter, as named by the platform's opaque_id, sees tokens.
func (s *Service) Show(who access.Actor, t Transaction, without ...string) (jsontext.Value, error) {
	by, _ := s.Index.Open(t.OpaqueID)
	return s.Platform.Show(t.Value, verification.ViewOptions{
		Transaction: t.ID, Tokens: by.User == who.User, Without: without, Own: s.own,
	})
}

// own opens the client's own opaque_id.
func (s *Service) own(opaqueID string) (string, bool) {
	by, ok := s.Index.Open(opaqueID)
	return by.Own, ok && by.Own != ""
}

// Address returns our address of a picture of a verification.
type Address func(verification, picture string) string

// Results returns a transaction's verification results as the actor may see them, with
// pictures at our addresses.
func (s *Service) Results(ctx context.Context, who access.Actor, id string, ours Address) (jsontext.Value, error) {
	if err := s.grantedToRead(ctx, who, id, "getTransactionVerification"); err != nil {
		return nil, err
	}
	body, err := s.Platform.Results(ctx, id)
	if err != nil {
		return nil, s.forget(ctx, who, id, err)
	}
	return s.showPictured(ctx, who, id, body, ours)
}

// Report returns the detailed report of a transaction as the actor may see it, with
// pictures at our addresses.
func (s *Service) Report(ctx context.Context, who access.Actor, id string, ours Address) (jsontext.Value, error) {
	if err := s.grantedToRead(ctx, who, id, "getDetailedReport"); err != nil {
		return nil, err
	}
	report, err := s.Platform.Report(ctx, id)
	if err != nil {
		return nil, s.forget(ctx, who, id, err)
	}
	who.LogFailure("tell the index of a verification", s.Index.Concluded(ctx, id, report.Result))
	return s.showPictured(ctx, who, id, report.Value, ours)
}

// showPictured is Platform.Show with pictures at our addresses. It asks the platform for
// the pictures when it meets the first address.
func (s *Service) showPictured(ctx context.Context, who access.Actor, id string, body jsontext.Value, ours Address) (jsontext.Value, error) {
	var known map[string]string
	return s.Platform.Show(body, verification.ViewOptions{Transaction: id, Own: s.own, Ours: func(address string) (string, bool) {
		if known == nil {
			known = s.pictures(ctx, who, id, ours)
		}
		our, ok := known[address]
		if u, err := url.Parse(address); !ok && err == nil { // a URL with the storage's address in its query, escaped or not
			our, ok = known[u.Query().Get("url")]
		}
		return our, ok
	}})
}

// pictures maps the platform's addresses of the transaction's pictures to ours. It leaves
// out pictures that cannot be fetched now.
func (s *Service) pictures(ctx context.Context, who access.Actor, id string, ours Address) map[string]string {
	known := map[string]string{}
	t, err := s.get(ctx, who, id)
	if err != nil || t.Status != verification.Completed {
		return known
	}
	for _, v := range t.Verifications {
		of, ok := verification.ID(v.ID)
		if !ok || !t.Succeeded(of) {
			continue
		}
		images, err := s.Platform.Images(ctx, id, of)
		if err != nil {
			who.Log(err)
		}
		for _, image := range images {
			known[image.Address] = ours(of, image.Name)
			if path, err := s.Platform.DataPath(id, image.Address); err == nil {
				known[s.Platform.Upstream.URL().String()+path] = ours(of, image.Name)
			}
		}
	}
	return known
}

// Images returns the pictures of a verification that succeeded.
func (s *Service) Images(ctx context.Context, who access.Actor, id, of string) ([]platform.Image, error) {
	return s.images(ctx, who, id, of, "getVerificationImages")
}

func (s *Service) images(ctx context.Context, who access.Actor, id, of, operation string) ([]platform.Image, error) {
	t, err := s.get(ctx, who, id)
	if err == nil {
		err = t.WhenSucceeded(of)
	}
	if err != nil {
		return nil, err
	}
	who.Reads(operation, id, t.startedBy)
	return s.Platform.Images(ctx, id, of)
}

// Image fetches the picture of that name. Here and below, want has the same meaning as in
// platform.Client.Evidence, and the caller must close the file.
func (s *Service) Image(ctx context.Context, who access.Actor, id, of, name string, want http.Header) (*platform.File, error) {
	images, err := s.images(ctx, who, id, of, "getVerificationImage")
	if err != nil {
		return nil, err
	}
	for _, image := range images {
		if image.Name == name {
			return s.Platform.Picture(ctx, id, image, want)
		}
	}
	return nil, fault.New(fault.RequestNotFound)
}

// Evidence fetches the evidence of a completed transaction.
func (s *Service) Evidence(ctx context.Context, who access.Actor, id string, want http.Header) (*platform.File, error) {
	t, err := s.get(ctx, who, id)
	if err == nil {
		err = t.WhenCompleted()
	}
	if err != nil {
		return nil, err
	}
	who.Reads("getEvidence", id, t.startedBy)
	return s.Platform.Evidence(ctx, id, want)
}

// Document fetches a document of a transaction.
func (s *Service) Document(ctx context.Context, who access.Actor, id, document string, want http.Header) (*platform.File, error) {
	if err := s.grantedToRead(ctx, who, id, "getDocument"); err != nil {
		return nil, err
	}
	return s.Platform.Document(ctx, id, document, want)
}

// notYet are the errors of an audit trail that the platform has not, or not yet. A link that
// it calls invalid is its own.
var notYet = []fault.Key{fault.VerificationState, fault.VerificationNotReady, fault.VerificationInvalid, fault.RequestNotFound}

// Trail fetches the audit trail of a transaction. While the platform is making it, the
// error is verification.not-ready with RetryAfter. If nobody asked for it, or it is still
// missing after ten minutes, the error is request.not-found.
func (s *Service) Trail(ctx context.Context, who access.Actor, id string, want http.Header) (*platform.File, error) {
	if err := s.grantedToRead(ctx, who, id, "downloadAuditTrail"); err != nil {
		return nil, err
	}
	link, underWay, err := s.Index.Trail(ctx, id)
	if err != nil {
		return nil, err
	}
	if link == "" {
		return nil, fault.New(fault.RequestNotFound)
	}
	file, err := s.Platform.Trail(ctx, id, link, want)
	if !slices.ContainsFunc(notYet, func(key fault.Key) bool { return fault.Is(err, key) }) {
		return file, err
	}
	if _, gone := s.get(ctx, who, id); gone != nil {
		return nil, gone
	}
	if !underWay {
		return nil, fault.Wrap(fault.RequestNotFound, err)
	}
	return nil, fault.Wrap(fault.VerificationNotReady, err).After(platform.TrailRetry)
}
