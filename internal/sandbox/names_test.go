package sandbox_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/sandbox/idv"
)

// The calls by which an operation of electronic signing, or of identity verification, is
// known: tests set faults by its name and find it in the journal. {p} is a package, {t} a
// transaction.
var signingNames = map[string]string{
	"createPackage":          "POST /api/packages",
	"listPackages":           "GET /api/packages",
	"getPackage":             "GET {p}",
	"updatePackage":          "PUT {p}",
	"deletePackage":          "DELETE {p}",
	"clonePackage":           "POST {p}/clone",
	"getSigningStatus":       "GET {p}/signingStatus",
	"getFieldSummary":        "GET {p}/fieldSummary",
	"getAudit":               "GET {p}/audit",
	"getEvidenceSummary":     "GET {p}/evidence/summary",
	"notifyPackage":          "POST {p}/notifications",
	"listRoles":              "GET {p}/roles",
	"createRole":             "POST {p}/roles",
	"getRole":                "GET {p}/roles/r",
	"updateRole":             "PUT {p}/roles/r",
	"updateRoles":            "PUT {p}/roles",
	"deleteRole":             "DELETE {p}/roles/r",
	"notifyRole":             "POST {p}/roles/r/notifications",
	"smsRole":                "POST {p}/roles/r/sms_notification",
	"unlockRole":             "POST {p}/roles/r/unlock",
	"getSigningUrl":          "GET {p}/roles/r/signingUrl",
	"createSignerToken":      "POST /api/authenticationTokens/signer/singleUse",
	"createDocuments":        "POST {p}/documents",
	"updateDocuments":        "PUT {p}/documents",
	"deleteDocuments":        "DELETE {p}/documents",
	"getDocument":            "GET {p}/documents/d",
	"updateDocument":         "PUT {p}/documents/d",
	"deleteDocument":         "DELETE {p}/documents/d",
	"getDocumentPdf":         "GET {p}/documents/d/pdf",
	"getDocumentOriginal":    "GET {p}/documents/d/original",
	"getDocumentsZip":        "GET {p}/documents/zip",
	"getVisibility":          "GET {p}/documents/visibility",
	"setVisibility":          "POST {p}/documents/visibility",
	"createApproval":         "POST {p}/documents/d/approvals",
	"updateApprovals":        "PUT {p}/documents/d/approvals",
	"updateApproval":         "PUT {p}/documents/d/approvals/a",
	"deleteApproval":         "DELETE {p}/documents/d/approvals/a",
	"getApprovals":           "GET {p}/documents/d/approvals",
	"createField":            "POST {p}/documents/d/approvals/a/fields",
	"getField":               "GET {p}/documents/d/approvals/a/fields/f",
	"updateField":            "PUT {p}/documents/d/approvals/a/fields/f",
	"deleteField":            "DELETE {p}/documents/d/approvals/a/fields/f",
	"getReminders":           "GET {p}/reminders",
	"setReminders":           "PUT {p}/reminders",
	"deleteReminders":        "DELETE {p}/reminders",
	"listCustomFields":       "GET /api/account/customfields",
	"createCustomField":      "POST /api/account/customfields",
	"getCustomField":         "GET /api/account/customfields/c",
	"deleteCustomField":      "DELETE /api/account/customfields/c",
	"attach":                 "POST {p}/attachment/a",
	"detach":                 "DELETE {p}/attachment/a/1",
	"getAttachment":          "GET {p}/attachment/a",
	"getAttachments":         "GET {p}/attachment/zip",
	"getSupport":             "GET /api/package_information/p/support_information",
	"getSignerApprovals":     "GET {p}/signers/s/approvals",
	"updateConditionalField": "PUT {p}/documents/d/approvals/a/fields/f/conditionalFields",
}

var verificationNames = map[string]string{
	"createTransaction":          "PUT /api/transaction/",
	"getTransaction":             "GET {t}",
	"getTransactionVerification": "GET {t}/verification",
	"getEvidence":                "GET {t}/document/AuditTrailDocument/pdf",
	"getDocument":                "GET {t}/document/d/pdf",
	"cancelTransaction":          "PUT {t}/event",
	"markForErasure":             "POST /api/transactions/mark-for-erasure",
	"unmarkForErasure":           "POST /api/transactions/unmark-for-erasure",
	"createSessionToken":         "POST {t}/token",
	"generateAuditTrail":         "POST {t}/generate-audit-trail",
	"getTransactionData":         "GET {t}/data?url=sfs://s/t/transactions/t/docs/AuditTrailDocument_1/1",
	"getVerificationImages":      "GET {t}/verifications/v/verification-images",
	"getDetailedReport":          "GET {t}/detailed-verification-report",
}

// Each of the contracts' operations can be made to fail by its name, and the journal names it.
func TestOperationsAreKnownByTheirNames(t *testing.T) {
	if len(signingNames) != 56 || len(verificationNames) != 13 {
		t.Fatalf("the contracts name 56 and 13 operations, this test %d and %d", len(signingNames), len(verificationNames))
	}
	p := start(t)
	paths := strings.NewReplacer("{p}", "/api/packages/p", "{t}", "/api/transaction/t")
	for i, names := range []map[string]string{signingNames, verificationNames} {
		for _, name := range slices.Sorted(maps.Keys(names)) {
			method, path, _ := strings.Cut(paths.Replace(names[name]), " ")
			p.fault(object{"operation": name, "status": http.StatusGatewayTimeout, "headers": object{"X-Fault": name}})
			body := ""
			if method != http.MethodGet {
				body = "{}"
			}
			r := p.request(method, path, body)
			if i == 1 {
				r.Header.Set("Authorization", "Bearer "+idv.Token)
				r.Header.Set("X-Tenant", idv.Tenant)
			}
			a := p.send(r)
			if a.status != http.StatusGatewayTimeout || a.header.Get("X-Fault") != name {
				t.Errorf("%s %s: %d by %q, want the fault of %s", method, path, a.status, a.header.Get("X-Fault"), name)
			}
			entries := p.journal()
			if last := entries[len(entries)-1]; last["operation"] != name || last["method"] != method {
				t.Errorf("%s %s is %v in the journal, want %s", method, path, last["operation"], name)
			}
			p.manage(http.MethodDelete, "faults", nil)
		}
	}
}
