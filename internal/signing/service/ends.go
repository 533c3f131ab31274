package service

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	signingapi "countersign/internal/signing/platform"
)

// OwnerNotices tell the owners of packages by e-mail how these ended.
type OwnerNotices struct {
	Notices *audit.Notices
	// Email returns the address of a user's account; "" if the account has none or can no
	// longer be used.
	Email func(ctx context.Context, user string) (string, error)
	// Origin is the address of the pages.
	Origin string
}

// Run keeps the index in step with the platform until ctx ends, and acts on what it finds.
func (s *Service) Run(ctx context.Context) { s.Index.Run(ctx, follower{s}) }

// follower acts on what the index finds at the platform.
type follower struct{ service *Service }

func (f follower) Read(ctx context.Context, p signing.Package) { f.service.checkUnmetProofs(ctx, p) }

func (f follower) Ended(ctx context.Context, e index.End) error {
	return f.service.Owners.ended(ctx, f.service.Platform, e)
}

func (f follower) Swept(ctx context.Context) { f.service.Retain(ctx) }

// ended tells the owner of a package how it ended, unless it was they who ended it. It is
// called once for each end. The error says that they were not told, request.not-found that
// the platform says it does not have the package.
func (o OwnerNotices) ended(ctx context.Context, platform *signingapi.Client, e index.End) error {
	if e.Owner == "" {
		return nil // it was not made through Countersign: there is nobody who could turn it off
	}
	pkg, err := platform.Package(ctx, e.Package)
	if err != nil {
		return err
	}
	how, by := howEnded(pkg, e)
	if how == audit.Cancelled && (by == "" || by == e.Owner) {
		return nil
	}
	email, err := o.Email(ctx, e.Owner)
	if err != nil || email == "" {
		return err
	}
	end, _ := pkg.Ending()
	if how == audit.Declined && slices.Contains(end.Signer, payload.FoldAddress(email)) {
		return nil
	}
	return o.Notices.TellOwner(ctx, audit.PackageEnd{
		Person: e.Owner, Email: email, How: how, Name: pkg.Name, Language: pkg.Language,
		Link: o.Origin + "/packages/" + url.PathEscape(e.Package),
	})
}

// howEnded returns how a package ended, and for one that was taken back by an operator who
// that was.
func howEnded(pkg signing.Package, e index.End) (how, operator string) {
	switch {
	case signing.Finished(e.Status):
		return audit.Completed, ""
	case e.Status == signing.StatusExpired:
		return audit.Expired, ""
	}
	if end, ok := pkg.Ending(); ok && end.BySender {
		return audit.Cancelled, end.Operator
	}
	return audit.Declined, ""
}

// CancelAs takes a package back by decline. Where an operator takes back somebody else's, the
// package's data say so from then on.
func (s *Service) CancelAs(ctx context.Context, who access.Actor, id string, decline func(context.Context) error) error {
	if !who.Operator {
		return decline(ctx)
	}
	return s.WithPackageLock(ctx, id, func(ctx context.Context) error {
		pkg, err := s.Platform.Package(ctx, id)
		if err != nil {
			return err
		}
		if (Opened{Full: pkg}).Owns(who.Person) || pkg.Status != signing.StatusSent {
			return decline(ctx)
		}
		own := pkg.Countersign
		own.CancelledBy = who.User
		if err := s.write(ctx, pkg, own); err != nil {
			return err
		}
		err = decline(ctx)
		if err != nil && fault.From(err).Row().Status < http.StatusInternalServerError { // it was surely not taken back
			who.LogFailure("forget who wanted to cancel package "+id, s.write(context.WithoutCancel(ctx), pkg, pkg.Countersign))
		}
		return err
	})
}
