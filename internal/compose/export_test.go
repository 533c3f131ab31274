package compose

// Holder is holder for tests.
func (s *Service) Holder(ticket string) string { return s.holder(ticket) }
