package signing

import (
	"net/http"
	"slices"

	"countersign/internal/sandbox/wire"
)

// uploadLimit limits a body with documents: 256 MiB of them, in base64.
const uploadLimit = 352 << 20

const (
	packagesPath = "/api/packages"
	packagePath  = packagesPath + "/{package}"
	rolePath     = packagePath + "/roles/{role}"
	documentPath = packagePath + "/documents/{document}"
	attachedPath = packagePath + "/attachment"
	attachPath   = attachedPath + "/{attachment}"
	approvalPath = documentPath + "/approvals/{approval}"
	fieldPath    = approvalPath + "/fields/{field}"
	fieldsPath   = "/api/account/customfields"

	userFieldsPath = "/api/user/customfields"
	callbackPath   = "/api/callback"
	connectorPath  = callbackPath + "/connectors/{origin}"
	tokensPath     = "/api/authenticationTokens"

	get, put, post, del = http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete
)

// Routes returns the operations of the signing API, and the token endpoint.
func (s *Server) Routes() []wire.Route {
	routes := slices.Concat(s.packageRoutes(), s.roleRoutes(), s.documentRoutes(), s.approvalRoutes(), s.attachmentRoutes(), s.signingRoutes(), s.tokenRoutes(), s.fieldRoutes(), s.callbackRoutes())
	for i := range routes {
		routes[i].Credential = s.callers.credential
	}
	return append(routes, s.callers.tokenRoute())
}

func (s *Server) packageRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "createPackage", Method: post, Path: packagesPath, Call: s.createPackage, BodyLimit: uploadLimit},
		{Operation: "listPackages", Method: get, Path: packagesPath, Call: s.listPackages},
		{Operation: "getPackage", Method: get, Path: packagePath, Call: s.getPackage},
		{Operation: "getSupport", Method: get, Path: "/api/package_information/{package}/support_information", Call: s.getSupport},
		{Operation: "updatePackage", Method: put, Path: packagePath, Call: s.updatePackage},
		{Operation: "updatePackage", Method: post, Path: packagePath, Call: s.updatePackage},
		{Operation: "deletePackage", Method: del, Path: packagePath, Call: s.deletePackage},
		{Operation: "clonePackage", Method: post, Path: packagePath + "/clone", Call: s.clonePackage},
		{Operation: "getFieldSummary", Method: get, Path: packagePath + "/fieldSummary", Call: s.getFieldSummary},
		{Operation: "getReminders", Method: get, Path: packagePath + "/reminders", Call: s.getReminders},
		{Operation: "setReminders", Method: put, Path: packagePath + "/reminders", Call: s.updateReminders},
		{Operation: "setReminders", Method: post, Path: packagePath + "/reminders", Call: s.createReminders},
		{Operation: "deleteReminders", Method: del, Path: packagePath + "/reminders", Call: s.deleteReminders},
		{Operation: "getAudit", Method: get, Path: packagePath + "/audit", Call: s.getAudit},
		{Operation: "getEvidenceSummary", Method: get, Path: packagePath + "/evidence/summary", Call: s.getEvidenceSummary},
		{Operation: "notifyPackage", Method: post, Path: packagePath + "/notifications", Call: s.notifyPackage},
		{Operation: "getSigningStatus", Method: get, Path: packagePath + "/signingStatus", Call: s.getSigningStatus},
	}
}

func (s *Server) roleRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "listRoles", Method: get, Path: packagePath + "/roles", Call: s.listRoles},
		{Operation: "createRole", Method: post, Path: packagePath + "/roles", Call: s.createRole},
		{Operation: "updateRoles", Method: put, Path: packagePath + "/roles", Call: s.updateRoles},
		{Operation: "getRole", Method: get, Path: rolePath, Call: s.getRole},
		{Operation: "updateRole", Method: put, Path: rolePath, Call: s.updateRole},
		{Operation: "updateRole", Method: post, Path: rolePath, Call: s.updateRole},
		{Operation: "deleteRole", Method: del, Path: rolePath, Call: s.deleteRole},
		{Operation: "notifyRole", Method: post, Path: rolePath + "/notifications", Call: s.notifyRole},
		{Operation: "smsRole", Method: post, Path: rolePath + "/sms_notification", Call: s.smsRole},
		{Operation: "unlockRole", Method: post, Path: rolePath + "/unlock", Call: s.unlockRole},
	}
}

func (s *Server) documentRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "createDocuments", Method: post, Path: packagePath + "/documents", Call: s.createDocuments, BodyLimit: uploadLimit},
		{Operation: "updateDocuments", Method: put, Path: packagePath + "/documents", Call: s.updateDocuments},
		{Operation: "deleteDocuments", Method: del, Path: packagePath + "/documents", Call: s.deleteDocuments},
		{Operation: "getDocumentsZip", Method: get, Path: packagePath + "/documents/zip", Call: s.getDocumentsZip},
		{Operation: "getVisibility", Method: get, Path: packagePath + "/documents/visibility", Call: s.getVisibility},
		{Operation: "setVisibility", Method: post, Path: packagePath + "/documents/visibility", Call: s.setVisibility},
		{Operation: "getDocument", Method: get, Path: documentPath, Call: s.getDocument},
		{Operation: "updateDocument", Method: put, Path: documentPath, Call: s.updateDocument, BodyLimit: uploadLimit},
		{Operation: "updateDocument", Method: post, Path: documentPath, Call: s.updateDocument, BodyLimit: uploadLimit},
		{Operation: "deleteDocument", Method: del, Path: documentPath, Call: s.deleteDocument},
		{Operation: "getDocumentPdf", Method: get, Path: documentPath + "/pdf", Call: s.getDocumentPDF, Admits: s.readsDocument},
		{Operation: "getDocumentOriginal", Method: get, Path: documentPath + "/original", Call: s.getDocumentOriginal},
	}
}

func (s *Server) approvalRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "createApproval", Method: post, Path: documentPath + "/approvals", Call: s.createApproval},
		{Operation: "updateApprovals", Method: put, Path: documentPath + "/approvals", Call: s.updateApprovals},
		{Operation: "getApprovals", Method: get, Path: documentPath + "/approvals", Call: s.listApprovals},
		{Operation: "getApprovals", Method: get, Path: approvalPath, Call: s.getApproval},
		{Operation: "updateApproval", Method: put, Path: approvalPath, Call: s.updateApproval},
		{Operation: "deleteApproval", Method: del, Path: approvalPath, Call: s.deleteApproval},
		{Operation: "createField", Method: post, Path: approvalPath + "/fields", Call: s.createField},
		{Operation: "getField", Method: get, Path: fieldPath, Call: s.getField},
		{Operation: "updateField", Method: put, Path: fieldPath, Call: s.updateField},
		{Operation: "updateField", Method: post, Path: fieldPath, Call: s.updateField},
		{Operation: "updateConditionalField", Method: put, Path: fieldPath + "/conditionalFields", Call: s.updateConditionalField},
		{Operation: "getSignerApprovals", Method: get, Path: packagePath + "/signers/{signer}/approvals", Call: s.getSignerApprovals},
		{Operation: "getSignerApprovals", Method: get, Path: documentPath + "/signers/{signer}/approvals", Call: s.getSignerApprovals},
		{Operation: "deleteField", Method: del, Path: fieldPath, Call: s.deleteField},
	}
}

func (s *Server) attachmentRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "attach", Method: post, Path: attachPath, Call: s.attach, Admits: s.reads, BodyLimit: uploadLimit},
		{Operation: "detach", Method: del, Path: attachPath + "/{file}", Call: s.detach, Admits: s.reads},
		{Operation: "detach", Method: del, Path: attachPath + "/file/{file}", Call: s.detach, Admits: s.reads},
		{Operation: "getAttachment", Method: get, Path: attachPath, Call: s.getAttachment},
		{Operation: "getAttachment", Method: get, Path: attachPath + "/{file}", Call: s.getAttachment},
		{Operation: "getAttachment", Method: get, Path: attachPath + "/file/{file}", Call: s.getAttachment},
		{Operation: "getAttachmentVerifications", Method: get, Path: attachedPath + "/verifications", Call: s.getChecks},
		{Operation: "getAttachments", Method: get, Path: attachedPath + "/zip", Call: s.getAttachments},
		{Operation: "getAttachments", Method: get, Path: attachedPath + "/zip/{role}", Call: s.getAttachments},
	}
}

func (s *Server) signingRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "signDocuments", Method: post, Path: packagePath + "/documents/signed_documents", Call: s.signDocuments, Admits: s.reads},
		{Operation: "confirmDocument", Method: post, Path: packagePath + "/documents/signConfirm", Call: s.confirmDocument, Admits: s.reads},
		{Operation: "getSigningUrl", Method: get, Path: rolePath + "/signingUrl", Call: s.getSigningURL},
		{Operation: "openSession", Method: get, Path: "/access", Call: s.openSession, Admits: anybody},
		{Operation: "openSigningUrl", Method: get, Path: "/sign/{link}", Call: s.openLink, Admits: anybody},
		{Operation: "showSigningPage", Method: get, Path: "/transaction/{package}/sign", Call: s.showPage, Admits: anybody},
		{Operation: "showSigningPage", Method: get, Path: "/packages/{package}/sign", Call: s.showPage, Admits: anybody},
		{Operation: "viewDocument", Method: get, Path: "/transaction/{package}/documents/{document}", Call: s.showViewed, Admits: s.readsDocument},
		{Operation: "viewPage", Method: get, Path: "/transaction/{package}/documents/{document}/pages/{page}", Call: s.showPageOf, Admits: s.readsDocument},
		{Operation: "getPageAsset", Method: get, Path: "/signing/{asset}", Call: s.showAsset, Admits: anybody},
		{Operation: "signOnPage", Method: post, Path: "/transaction/{package}/sign", Call: s.actOnPage, Admits: anybody, BodyLimit: uploadLimit},
		{Operation: "signOnPage", Method: post, Path: "/packages/{package}/sign", Call: s.actOnPage, Admits: anybody, BodyLimit: uploadLimit},
	}
}

func (s *Server) tokenRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "createSignerToken", Method: post, Path: tokensPath + "/signer/singleUse", Call: s.createSingleUseToken},
		{Operation: "createSignerToken", Method: post, Path: tokensPath + "/signer/multiUse", Call: s.createMultiUseToken},
		{Operation: "createSignerToken", Method: post, Path: "/api/signerAuthenticationTokens", Call: s.createMultiUseToken},
		{Operation: "createSession", Method: post, Path: "/api/sessions", Call: s.createSession},
		{Operation: "authenticate", Method: get, Path: "/auth", Call: s.authenticate, Admits: anybody},
	}
}

func (s *Server) fieldRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "listCustomFields", Method: get, Path: fieldsPath, Call: s.fields.find},
		{Operation: "createCustomField", Method: post, Path: fieldsPath, Call: s.fields.put},
		{Operation: "createCustomField", Method: put, Path: fieldsPath, Call: s.fields.put},
		{Operation: "getCustomField", Method: get, Path: fieldsPath + "/{field}", Call: s.fields.get},
		{Operation: "deleteCustomField", Method: del, Path: fieldsPath + "/{field}", Call: s.fields.remove},
		{Operation: "listUserCustomFields", Method: get, Path: userFieldsPath, Call: s.userFields.find},
		{Operation: "createUserCustomField", Method: post, Path: userFieldsPath, Call: s.userFields.put},
		{Operation: "createUserCustomField", Method: put, Path: userFieldsPath, Call: s.userFields.put},
		{Operation: "getUserCustomField", Method: get, Path: userFieldsPath + "/{field}", Call: s.userFields.get},
		{Operation: "deleteUserCustomField", Method: del, Path: userFieldsPath + "/{field}", Call: s.userFields.remove},
	}
}

func (s *Server) callbackRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "getCallback", Method: get, Path: callbackPath, Call: s.getCallback},
		{Operation: "setCallback", Method: post, Path: callbackPath, Call: s.setCallback},
		{Operation: "deleteCallback", Method: del, Path: callbackPath, Call: s.deleteCallback},
		{Operation: "getCallback", Method: get, Path: connectorPath, Call: s.getCallback},
		{Operation: "setCallback", Method: post, Path: connectorPath, Call: s.setCallback},
		{Operation: "deleteCallback", Method: del, Path: connectorPath, Call: s.deleteCallback},
	}
}
