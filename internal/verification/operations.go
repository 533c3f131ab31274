package verification

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// The platform's paths (identity verification facts, 2). Two families of paths live
// side by side there; where no path is public, the sandbox's is the default.
const (
	transactionPath  = "/api/transaction/{transaction}"
	transactionsPath = "/api/transactions/{transaction}"
	imagesPath       = transactionsPath + "/verifications/{verification}/verification-images"
)

const pathPrefix = "PLATFORM_PATHS_"

const get, put, post = http.MethodGet, http.MethodPut, http.MethodPost

// The operations of the API by the platform's names (specification, part 4.4).
var (
	createTransaction = row(upstream.Operation{
		Name: "createTransaction", Method: put, Path: "/api/transaction/",
		Setting: "CREATE_TRANSACTION", Purpose: "start a transaction",
	})
	getTransaction = row(upstream.Operation{
		Name: "getTransaction", Method: get, Path: transactionPath,
		Setting: "TRANSACTION", Purpose: "status and metadata",
	})
	getTransactionVerification = row(upstream.Operation{
		Name: "getTransactionVerification", Method: get, Path: transactionPath + "/verification",
		Setting: "VERIFICATION_RESULTS", Purpose: "the results",
	})
	getEvidence = row(upstream.Operation{
		Name: "getEvidence", Method: get, Path: transactionPath + "/document/AuditTrailDocument/pdf",
		Setting: "EVIDENCE", Purpose: "the evidence pack",
	})
	getDocument = row(upstream.Operation{
		Name: "getDocument", Method: get, Path: transactionPath + "/document/{document}/pdf",
		Setting: "TRANSACTION_DOCUMENT", Purpose: "one document",
	})
	cancelTransaction = row(upstream.Operation{
		Name: "cancelTransaction", Method: put, Path: transactionPath + "/event",
		Setting: "TRANSACTION_EVENT", Purpose: "cancel",
	})
	markForErasure = row(upstream.Operation{
		Name: "markForErasure", Method: post, Path: "/api/transactions/mark-for-erasure",
		Setting: "MARK_FOR_ERASURE", Purpose: "mark for erasure",
	})
	unmarkForErasure = row(upstream.Operation{
		Name: "unmarkForErasure", Method: post, Path: "/api/transactions/unmark-for-erasure",
		Setting: "UNMARK_FOR_ERASURE", Purpose: "take that back",
	})
	createSessionToken = row(upstream.Operation{
		Name: "createSessionToken", Method: post, Path: transactionPath + "/token",
		Setting: "SESSION_TOKEN", Purpose: "a new token for a session",
	})
	generateAuditTrail = row(upstream.Operation{
		Name: "generateAuditTrail", Method: post, Path: transactionsPath + "/generate-audit-trail",
		Setting: "GENERATE_AUDIT_TRAIL", Purpose: "have an audit trail made",
	})
	// downloadAuditTrail has no path of its own: the answer of generateAuditTrail
	// names it.
	downloadAuditTrail    = row(upstream.Operation{Name: "downloadAuditTrail", Method: get})
	getVerificationImages = row(upstream.Operation{
		Name: "getVerificationImages", Method: get, Path: imagesPath,
		Setting: "VERIFICATION_IMAGES", Purpose: "which pictures there are",
	})
	getVerificationImage = row(upstream.Operation{
		Name: "getVerificationImage", Method: get, Path: "/api/sfs/{address}",
		Setting: "VERIFICATION_IMAGE", Purpose: "one picture: an assumption",
	})
	getDetailedReport = row(upstream.Operation{
		Name: "getDetailedReport", Method: get, Path: transactionsPath + "/detailed-verification-report",
		Setting: "DETAILED_REPORT", Purpose: "the detailed report",
	})
)

// Operations are those of the API that people may use through Countersign.
var Operations = []upstream.Operation{
	createTransaction, getTransaction, getTransactionVerification, getEvidence, getDocument, cancelTransaction,
	markForErasure, unmarkForErasure, createSessionToken, generateAuditTrail, downloadAuditTrail,
	getVerificationImages, getVerificationImage, getDetailedReport,
}

// refusals are what the platform's statuses mean.
var refusals = map[int]fault.Key{
	http.StatusBadRequest:                   fault.VerificationInvalid,
	http.StatusUnprocessableEntity:          fault.VerificationInvalid,
	http.StatusForbidden:                    fault.VerificationRefused,
	http.StatusNotFound:                     fault.RequestNotFound,
	http.StatusConflict:                     fault.VerificationState,
	http.StatusRequestEntityTooLarge:        fault.RequestTooLarge,
	http.StatusRequestedRangeNotSatisfiable: fault.RequestRange,
}

// misplaced are refusals of what names no transaction: nothing at its path is a wrong
// setting.
var misplaced = func() map[int]fault.Key {
	all := maps.Clone(refusals)
	all[http.StatusNotFound] = fault.PlatformFailed
	return all
}()

// row is o with what its refusals mean.
func row(o upstream.Operation) upstream.Operation {
	o.Idempotent, o.Refusal, o.Refusals = o.Method == get, fault.VerificationRefused, refusals
	if o.Path != "" && !strings.Contains(o.Path, "{") {
		o.Refusals = misplaced
	}
	return o
}

// PathSettings are the settings of the operations' paths.
func PathSettings() []config.Path {
	return upstream.PathSettings(pathPrefix, slices.DeleteFunc(slices.Clone(Operations), func(o upstream.Operation) bool { return o.Path == "" }))
}

// Translate gives a refusal of o the row that it has here; what the platform said stays
// the cause.
func Translate(o upstream.Operation, err error) error {
	said, ok := errors.AsType[*upstream.Error](err)
	isRefusal := fault.Is(err, fault.PlatformRefused) || ok && said.Status == http.StatusForbidden
	if !ok || !isRefusal {
		return err
	}
	key := o.ByStatus(said.Status)
	if key == fault.PlatformRefused { // a status that the API is not known to have
		key = o.Refusal
	}
	return fault.Wrap(key, said)
}
