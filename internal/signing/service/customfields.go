package service

import (
	"context"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/signing"
)

// Operators returns signing.operators-only for everybody else.
func (s *Service) Operators(who access.Actor) error {
	if !who.Operator {
		return fault.New(fault.SigningOperatorsOnly)
	}
	return nil
}

// SaveCustomField makes a custom field of the account, or replaces the one of its id.
func (s *Service) SaveCustomField(ctx context.Context, who access.Actor, f signing.CustomField, replaces bool) error {
	err := s.Operators(who)
	if err == nil {
		err = s.Platform.SaveCustomField(ctx, f, replaces)
	}
	if err == nil {
		s.Done(ctx, who, Change{Operation: "createCustomField"})
	}
	return err
}

// DeleteCustomField deletes a custom field of the account.
func (s *Service) DeleteCustomField(ctx context.Context, who access.Actor, id string) error {
	err := s.Operators(who)
	if err == nil {
		err = s.Platform.DeleteCustomField(ctx, id)
	}
	if err == nil {
		s.Done(ctx, who, Change{Operation: "deleteCustomField"})
	}
	return err
}
