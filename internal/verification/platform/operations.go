package platform

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

// The platform's paths, in two families (docs/platform.md V2). An operation without a public
// path has the sandbox's as its default.
const (
	transactionPath  = "/api/transaction/{transaction}"
	transactionsPath = "/api/transactions/{transaction}"
	imagesPath       = transactionsPath + "/verifications/{verification}/verification-images"
)

const get, put, post = http.MethodGet, http.MethodPut, http.MethodPost

// The operations of the API, by the platform's names.
var (
	createTransaction = row(upstream.Operation{
		Name: "createTransaction", Method: put, Path: "/api/transaction/",
	})
	getTransaction = row(upstream.Operation{
		Name: "getTransaction", Method: get, Path: transactionPath,
	})
	getTransactionVerification = row(upstream.Operation{
		Name: "getTransactionVerification", Method: get, Path: transactionPath + "/verification",
	})
	getEvidence = row(upstream.Operation{
		Name: "getEvidence", Method: get, Path: transactionPath + "/document/AuditTrailDocument/pdf",
	})
	// getDocument shares its name with an operation of electronic signing.
	getDocument = row(upstream.Operation{
		Name: "getDocument", PathName: "getTransactionDocument", Method: get, Path: transactionPath + "/document/{document}/pdf",
	})
	cancelTransaction = row(upstream.Operation{
		Name: "cancelTransaction", Method: put, Path: transactionPath + "/event",
	})
	markForErasure = row(upstream.Operation{
		Name: "markForErasure", Method: post, Path: "/api/transactions/mark-for-erasure",
	})
	unmarkForErasure = row(upstream.Operation{
		Name: "unmarkForErasure", Method: post, Path: "/api/transactions/unmark-for-erasure",
	})
	createSessionToken = row(upstream.Operation{
		Name: "createSessionToken", Method: post, Path: transactionPath + "/token",
	})
	generateAuditTrail = row(upstream.Operation{
		Name: "generateAuditTrail", Method: post, Path: transactionsPath + "/generate-audit-trail",
	})
	getVerificationImages = row(upstream.Operation{
		Name: "getVerificationImages", Method: get, Path: imagesPath,
	})
	// getTransactionData reads what the platform's storage has at an address: an audit trail
	// or a picture.
	getTransactionData = row(upstream.Operation{
		Name: "getTransactionData", Method: get, Path: transactionsPath + "/data?url={url}", Query: true,
	})
	getDetailedReport = row(upstream.Operation{
		Name: "getDetailedReport", Method: get, Path: transactionsPath + "/detailed-verification-report",
	})
)

// Operations are the operations that people may use through Countersign.
func Operations() []upstream.Operation { return slices.Clone(operations) }

var operations = []upstream.Operation{
	createTransaction, getTransaction, getTransactionVerification, getEvidence, getDocument, cancelTransaction,
	markForErasure, unmarkForErasure, createSessionToken, generateAuditTrail,
	getVerificationImages, getTransactionData, getDetailedReport,
}

// refusals map the platform's statuses to our errors.
var refusals = map[int]fault.Key{
	http.StatusBadRequest:                   fault.VerificationInvalid,
	http.StatusUnprocessableEntity:          fault.VerificationInvalid,
	http.StatusForbidden:                    fault.VerificationRefused,
	http.StatusNotFound:                     fault.RequestNotFound,
	http.StatusGone:                         fault.RequestNotFound,
	http.StatusConflict:                     fault.VerificationState,
	http.StatusRequestEntityTooLarge:        fault.RequestTooLarge,
	http.StatusRequestedRangeNotSatisfiable: fault.RequestRange,
}

// misplaced holds the refusals of an operation whose path names no transaction: a 404 or a
// 410 there means that the path in the settings is wrong.
var misplaced = func() map[int]fault.Key {
	all := maps.Clone(refusals)
	all[http.StatusNotFound], all[http.StatusGone] = fault.PlatformFailed, fault.PlatformFailed
	return all
}()

// row completes o with its refusals.
func row(o upstream.Operation) upstream.Operation {
	o.Idempotent, o.Refusal, o.Refusals = o.Method == get, fault.VerificationRefused, refusals
	if o.Path != "" && !strings.Contains(o.Path, "{") {
		o.Refusals = misplaced
	}
	return o
}

// Paths returns the default paths that settings may replace.
func Paths() []config.Path { return upstream.Replaceable(Operations()) }

// translate maps a refusal of operation o to our error, with the platform's error as its
// cause.
func translate(o upstream.Operation, err error) error {
	said, ok := errors.AsType[*upstream.Error](err)
	isRefusal := fault.Is(err, fault.PlatformRefused) || ok && said.Status == http.StatusForbidden && !said.Foreign
	if !ok || !isRefusal {
		return err
	}
	key := o.ByStatus(said.Status)
	if key == fault.PlatformRefused { // a status that the API is not known to answer
		key = o.Refusal
	}
	return fault.Wrap(key, said)
}
