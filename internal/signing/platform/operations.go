package platform

import (
	"maps"
	"net/http"
	"slices"

	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

const (
	packagesPath  = "/api/packages"
	packagePath   = packagesPath + "/{package}"
	rolesPath     = packagePath + "/roles"
	rolePath      = rolesPath + "/{role}"
	documentsPath = packagePath + "/documents"
	documentPath  = documentsPath + "/{document}"
	approvalsPath = documentPath + "/approvals"
	approvalPath  = approvalsPath + "/{approval}"
	fieldPath     = approvalPath + "/fields/{field}"
	remindersPath = packagePath + "/reminders"
	tokenPath     = "/api/authenticationTokens/signer/{use}"

	attachmentsPath = packagePath + "/attachment"
	attachmentPath  = attachmentsPath + "/{attachment}"

	customFieldsPath = "/api/account/customfields"
	customFieldPath  = customFieldsPath + "/{customField}"
)

const get, put, post, del = http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete

// The operations that Countersign itself calls.
var (
	listPackages        = row("listPackages", get, packagesPath)
	getPackage          = row("getPackage", get, packagePath)
	getVisibility       = row("getVisibility", get, documentsPath+"/visibility")
	clonePackage        = row("clonePackage", post, packagePath+"/clone")
	createCustomField   = customField("createCustomField", post, customFieldsPath)
	createDocuments     = row("createDocuments", post, documentsPath)
	createPackage       = row("createPackage", post, packagesPath)
	createRole          = row("createRole", post, rolesPath)
	createSignerToken   = row("createSignerToken", post, tokenPath)
	deleteCustomField   = customField("deleteCustomField", del, customFieldPath)
	deleteDocument      = row("deleteDocument", del, documentPath)
	deletePackage       = row("deletePackage", del, packagePath)
	deleteReminders     = row("deleteReminders", del, remindersPath)
	deleteRole          = row("deleteRole", del, rolePath)
	getFileChecks       = row("getAttachmentVerifications", get, attachmentsPath+"/verifications")
	getAudit            = row("getAudit", get, packagePath+"/audit")
	getCustomField      = customField("getCustomField", get, customFieldPath)
	getDocumentOriginal = row("getDocumentOriginal", get, documentPath+"/original")
	getDocumentPdf      = row("getDocumentPdf", get, documentPath+"/pdf")
	getReminders        = row("getReminders", get, remindersPath)
	listCustomFields    = customField("listCustomFields", get, customFieldsPath)
	notifyRole          = row("notifyRole", post, rolePath+"/notifications")
	createReminders     = ofState(row("setReminders", post, remindersPath))
	setReminders        = ofState(row("setReminders", put, remindersPath))
	smsRole             = row("smsRole", post, rolePath+"/sms_notification")
	updateApprovals     = row("updateApprovals", put, approvalsPath)
	updateDocument      = row("updateDocument", put, documentPath)
	updateDocuments     = row("updateDocuments", put, documentsPath)
	updatePackage       = row("updatePackage", put, packagePath)
	updateRole          = row("updateRole", put, rolePath)
)

// Operations are the operations of the signing API that people may use through
// Countersign, by the platform's names (specification, parts 4.1 and 4.2;
// docs/platform.md). An operation with two methods or paths has two rows.
func Operations() []upstream.Operation { return slices.Clone(operations) }

var operations = slices.Concat(onPackages, onRoles, onDocuments, onFields, onAttachments, onCustomFields)

var onPackages = []upstream.Operation{
	listPackages, getPackage, getVisibility,
	createPackage,
	updatePackage, row("updatePackage", post, packagePath),
	deletePackage,
	clonePackage,
	row("getSigningStatus", get, packagePath+"/signingStatus"),
	row("getFieldSummary", get, packagePath+"/fieldSummary"),
	getAudit,
	row("getEvidenceSummary", get, packagePath+"/evidence/summary"),
	row("notifyPackage", post, packagePath+"/notifications"),
	getReminders,
	setReminders, createReminders,
	deleteReminders,
}

var onRoles = []upstream.Operation{
	row("listRoles", get, rolesPath),
	createRole,
	row("updateRoles", put, rolesPath),
	row("getRole", get, rolePath),
	updateRole, row("updateRole", post, rolePath),
	deleteRole,
	notifyRole,
	smsRole,
	row("unlockRole", post, rolePath+"/unlock"),
	row("getSigningUrl", get, rolePath+"/signingUrl"),
	createSignerToken, row("createSignerToken", post, "/api/signerAuthenticationTokens"),
	row("getSupport", get, "/api/package_information/{package}/support_information"),
}

var onDocuments = []upstream.Operation{
	createDocuments,
	updateDocuments,
	row("deleteDocuments", del, documentsPath),
	row("getDocument", get, documentPath),
	updateDocument, row("updateDocument", post, documentPath),
	deleteDocument,
	getDocumentPdf,
	getDocumentOriginal,
	row("getDocumentsZip", get, documentsPath+"/zip"),
	row("setVisibility", post, documentsPath+"/visibility"),
}

var onFields = []upstream.Operation{
	row("createApproval", post, approvalsPath),
	updateApprovals,
	row("getApprovals", get, approvalsPath), oneApproval(row("getApprovals", get, approvalPath)),
	row("updateApproval", put, approvalPath),
	row("deleteApproval", del, approvalPath),
	row("createField", post, approvalPath+"/fields"),
	row("getField", get, fieldPath),
	row("updateField", put, fieldPath), row("updateField", post, fieldPath),
	row("updateConditionalField", put, fieldPath+"/conditionalFields"),
	row("deleteField", del, fieldPath),
	row("getSignerApprovals", get, packagePath+"/signers/{signer}/approvals"),
	row("getSignerApprovals", get, documentPath+"/signers/{signer}/approvals"),
}

var onAttachments = []upstream.Operation{
	byRole(row("attach", post, attachmentPath)),
	byRole(row("detach", del, attachmentPath+"/{file}")), row("detach", del, attachmentPath+"/file/{file}"),
	byRole(row("getAttachment", get, attachmentPath)),
	row("getAttachment", get, attachmentPath+"/{file}"), row("getAttachment", get, attachmentPath+"/file/{file}"),
	row("getAttachments", get, attachmentsPath+"/zip"), row("getAttachments", get, attachmentsPath+"/zip/{role}"),
}

var onCustomFields = []upstream.Operation{
	listCustomFields,
	createCustomField, customField("createCustomField", put, customFieldsPath),
	getCustomField,
	deleteCustomField,
}

// refusals map the platform's statuses to faults.
var refusals = map[int]fault.Key{
	http.StatusBadRequest:                   fault.SigningInvalid,
	http.StatusUnprocessableEntity:          fault.SigningInvalid,
	http.StatusForbidden:                    fault.SigningRefused,
	http.StatusNotFound:                     fault.RequestNotFound,
	http.StatusNotAcceptable:                fault.SigningInvalid,
	http.StatusGone:                         fault.RequestNotFound,
	http.StatusConflict:                     fault.SigningState,
	http.StatusRequestEntityTooLarge:        fault.RequestTooLarge,
	http.StatusRequestedRangeNotSatisfiable: fault.RequestRange,
}

// Paths returns the operations' paths, which settings may replace, those that only Countersign
// itself calls included.
func Paths() []config.Path { return upstream.Replaceable(append(Operations(), getFileChecks)) }

// oneApproval returns o with a separate path name, since getApprovals names the path of
// all approvals.
func oneApproval(o upstream.Operation) upstream.Operation {
	o.PathName = "getApproval"
	return o
}

func row(name, method, path string) upstream.Operation {
	return upstream.Operation{
		Name: name, Method: method, Path: path, Idempotent: method == get,
		Refusal: fault.SigningRefused, Refusals: refusals,
	}
}

// byRole returns o with a role in its path, where the platform has attachments by role.
func byRole(o upstream.Operation) upstream.Operation {
	o.Optional = []string{"role"}
	return o
}

// ofState returns o with the meaning of a 400 for payloads that were checked: the package's
// status does not allow the change.
func ofState(o upstream.Operation) upstream.Operation {
	o.Refusals = maps.Clone(o.Refusals)
	o.Refusals[http.StatusBadRequest] = fault.SigningState
	return o
}

// customField returns a row whose refusal means that the account has no custom fields.
func customField(name, method, path string) upstream.Operation {
	o := row(name, method, path)
	o.Refusals = map[int]fault.Key{
		http.StatusBadRequest:            fault.SigningInvalid,
		http.StatusUnprocessableEntity:   fault.SigningInvalid,
		http.StatusForbidden:             fault.SigningCustomFieldsOff,
		http.StatusNotFound:              fault.RequestNotFound,
		http.StatusNotAcceptable:         fault.SigningInvalid,
		http.StatusGone:                  fault.RequestNotFound,
		http.StatusRequestEntityTooLarge: fault.RequestTooLarge,
	}
	return o
}
