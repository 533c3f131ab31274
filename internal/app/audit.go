package app

import (
	"fmt"
	"io"

	"countersign/internal/audit"
	"countersign/internal/config"
	"countersign/internal/i18n"
	"countersign/web"
)

// openTrail opens the audit trail, over the open Redis.
func (a *App) openTrail(metrics *web.Metrics) error {
	to, err := a.auditLog()
	if err != nil {
		return err
	}
	if a.bundle, err = i18n.New("MaxDocuments", a.config.MaxDocuments, "MaxDocumentSize", a.config.MaxDocumentSize.Text()); err != nil {
		return err
	}
	a.preferences = audit.NewPreferenceStore(a.redis.Client, a.stores.sessionKeys)
	if a.notices, err = a.openNotices(); err != nil {
		return err
	}
	a.trail = audit.New(audit.Options{
		Log: to, Stream: a.config.AuditStream(), Redis: a.redis.Client, Keys: a.stores.sessionKeys,
		Notices: a.notices, Observe: metrics.Audit, Lost: metrics.AuditLost, Logger: a.logger, Now: a.now,
	})
	return nil
}

// auditLog returns the writer for the lines of the trail; nil if no lines are written.
func (a *App) auditLog() (io.Writer, error) {
	switch {
	case a.config.AuditLog == config.AuditOff, a.config.AuditStream() != "":
		return nil, nil
	case a.config.AuditLog == config.AuditStdout:
		return a.stdout, nil
	}
	file, err := audit.OpenFile(a.config.AuditLog)
	if err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_AUDIT_LOG: %w", err)
	}
	return file, nil
}
