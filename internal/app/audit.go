package app

import (
	"fmt"
	"io"

	"countersign/internal/audit"
	"countersign/internal/config"
	"countersign/web"
)

// openTrail opens the audit trail.
func (a *App) openTrail(metrics *web.Metrics) error {
	to, err := a.auditLog()
	if err != nil {
		return err
	}
	a.trail = audit.New(audit.Options{
		Log: to, Observe: metrics.Audit, Lost: metrics.AuditLost, Logger: a.logger, Now: a.now,
	})
	return nil
}

// auditLog is where the trail goes; nil where there is none.
func (a *App) auditLog() (io.Writer, error) {
	switch a.config.AuditLog {
	case config.AuditOff:
		return nil, nil
	case config.AuditStdout:
		return audit.Lines(a.stdout), nil
	}
	file, err := audit.OpenFile(a.config.AuditLog)
	if err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_AUDIT_LOG: %w", err)
	}
	return file, nil
}
