package signingproxy

import (
	"net/http"
	"slices"

	"countersign/internal/signing"
	"countersign/internal/signing/platform"
	"countersign/internal/signing/service"
	"countersign/internal/upstream"
)

// operation is one operation of the platform that people may use, with its rule.
type operation struct {
	upstream.Operation
	rule
	// path is our path of the operation.
	path string
}

// newRoutes makes the Routes of operations.
func newRoutes(operations []*operation) Routes[*operation] {
	list := make([]Route[*operation], len(operations))
	for i, o := range operations {
		list[i] = Route[*operation]{Path: o.path, Methods: []string{o.Method}, Operation: o, ID: signingID}
	}
	return NewRoutes(list)
}

// rule holds everything about an operation besides its method and path: a row of the
// table below.
type rule struct {
	// may decides who can use it.
	may policy
	// serve carries it out; nil means read for GET, else change.
	serve func(*Proxy, *call) error
	// check checks its payload; nil if any JSON is allowed. mayBeEmpty says that a
	// missing payload counts as an empty object.
	check      signing.Check
	mayBeEmpty bool
	// stored reports whether the rules need the stored package for a payload. The stored
	// package is also read if the payload exceeds a limit. A nil stored means that it is
	// never needed.
	stored func(*signing.Payload) bool
	// keepsCountersign says that Countersign's own data stays in the package, even if the
	// payload replaces the part that holds it.
	keepsCountersign bool
	// asks lists the query parameters that a signer may send; owners and operators may
	// send any.
	asks []string
	// withheld is the query parameter that is ours and is not sent to the platform.
	withheld string
	// shape turns the platform's answer into what the person may see; nil leaves it as it
	// is.
	shape shape
	// mayBeAbsent says that a 2xx without a body is allowed and means that the object
	// does not exist. mayBeXML says that the answer may be XML instead of JSON.
	mayBeAbsent, mayBeXML bool
	// isFile says that its answer is a file. extension ends the name of a file, or of an
	// answer in XML, to which the platform gives none.
	isFile    bool
	extension string
	// isPDF says that the file is a document's PDF, which the platform calls an octet stream.
	isPDF bool
	// once says that it accepts an Idempotency-Key.
	once bool
	// effect is the effect on the package in the path; makes says that it creates a
	// package.
	effect service.Effect
	makes  bool
	// corrects says that its answer is a package by which the index is corrected.
	corrects bool
}

// rules holds the rule of every signing operation, by name.
var rules = map[string]rule{
	"createPackage":      {may: creators, once: true, makes: true, effect: service.Changed, serve: (*Proxy).upload, check: signing.CheckPackage},
	"listPackages":       {may: everybody, serve: (*Proxy).listPackages},
	"exportPackages":     {may: everybody, serve: (*Proxy).exportPackages},
	"getPackage":         {may: readers, shape: packageFor, corrects: true, serve: (*Proxy).getPackage},
	"updatePackage":      {may: owners, effect: service.Changed, serve: (*Proxy).updatePackage, check: signing.CheckPackageUpdate, stored: replacesParts, keepsCountersign: true},
	"deletePackage":      {may: deleters, effect: service.Deleted, withheld: "confirm", serve: (*Proxy).deletePackage},
	"clonePackage":       {may: cloners, once: true, makes: true, effect: service.Changed, check: signing.CheckClone, mayBeEmpty: true, stored: always},
	"getSigningStatus":   {may: readers, asks: []string{askSigner, askDocument}},
	"getFieldSummary":    {may: readers, asks: []string{askSigner, askDocument}, shape: summaryFor},
	"getAudit":           {may: finishers, mayBeXML: true, extension: "-audit.xml"},
	"getEvidenceSummary": {may: finishers, isFile: true, extension: ".pdf"},
	"notifyPackage":      {may: owners, check: signing.CheckNotification},
	"getReminders":       {may: owners},
	"setReminders":       {may: owners, check: signing.CheckReminders},
	"deleteReminders":    {may: owners},

	"listRoles":     {may: readers, shape: rolesFor},
	"createRole":    {may: owners, effect: service.Changed, check: signing.CheckRole, stored: always},
	"updateRoles":   {may: owners, effect: service.Changed, check: signing.CheckRoles, stored: always},
	"getRole":       {may: readers, shape: roleFor},
	"updateRole":    {may: owners, effect: service.Changed, check: signing.CheckRoleUpdate, stored: always},
	"deleteRole":    {may: owners, effect: service.Changed},
	"notifyRole":    {may: owners},
	"smsRole":       {may: owners},
	"unlockRole":    {may: owners, effect: service.Changed},
	"getSigningUrl": {may: roleHolders, serve: (*Proxy).getSigningURL, shape: signingURL},

	"createSignerToken": {may: everybody, serve: (*Proxy).createSignerToken, check: signing.CheckObject},
	"getSupport":        {may: readers},

	"getRoleProofs":    {may: grantedReaders, serve: (*Proxy).getAsked},
	"setRoleProofs":    {may: owners, serve: (*Proxy).setAsked, check: signing.CheckProofs},
	"getPackageProofs": {may: readers, serve: (*Proxy).getProofs},

	"createDocuments":     {may: owners, effect: service.Changed, serve: (*Proxy).upload, check: signing.CheckDocuments, stored: always},
	"updateDocuments":     {may: owners, effect: service.Changed, check: signing.CheckList, stored: atWorst},
	"deleteDocuments":     {may: owners, effect: service.Changed, check: signing.CheckIDs},
	"getDocument":         {may: viewers, shape: documentFor},
	"updateDocument":      {may: owners, effect: service.Changed, serve: (*Proxy).updateDocument, check: signing.CheckDocumentUpdate, stored: always},
	"deleteDocument":      {may: owners, effect: service.Changed},
	"getDocumentPdf":      {may: viewers, asks: []string{askFlatten}, isFile: true, extension: ".pdf", isPDF: true},
	"getDocumentOriginal": {may: owners, isFile: true},
	"getDocumentsZip":     {may: finishers, asks: []string{askFlatten}, serve: (*Proxy).documentsZip, isFile: true, extension: ".zip"},
	"getVisibility":       {may: owners},
	"setVisibility":       {may: owners, effect: service.Changed, check: signing.CheckObject},

	"createApproval":  {may: owners, effect: service.Changed, check: signing.CheckApproval, stored: always},
	"updateApprovals": {may: owners, effect: service.Changed, check: signing.CheckApprovals, stored: always},
	"getApprovals":    {may: owners},
	"updateApproval":  {may: owners, effect: service.Changed, check: signing.CheckApprovalUpdate, stored: always},
	"deleteApproval":  {may: owners, effect: service.Changed},
	"createField":     {may: owners, effect: service.Changed, check: signing.CheckField, stored: always},
	"getField":        {may: owners},
	"updateField":     {may: owners, effect: service.Changed, check: signing.CheckFieldUpdate, stored: changesType},
	"deleteField":     {may: owners, effect: service.Changed},

	"updateConditionalField": {may: owners, effect: service.Changed, check: signing.CheckConditionalField, stored: changesConditions},
	"getSignerApprovals":     {may: approvalReaders, shape: approvalsFor},

	"attach":         {may: attachers, effect: service.Changed, withheld: askRole, serve: (*Proxy).attach},
	"detach":         {may: attachers, effect: service.Changed, withheld: askRole},
	"getAttachment":  {may: attachmentReaders, withheld: askRole, isFile: true},
	"getAttachments": {may: archiveReaders, isFile: true, extension: ".zip"},

	"listCustomFields":  {may: everybody, shape: customFieldsFor},
	"createCustomField": {may: operators, check: signing.CheckCustomField},
	"getCustomField":    {may: everybody, shape: customFieldsFor, mayBeAbsent: true},
	"deleteCustomField": {may: operators},
}

// ours lists the operations that the platform does not have.
var ours = []upstream.Operation{
	{Name: "exportPackages", Method: http.MethodGet, Path: "/api/packages/export"},
	{Name: "getRoleProofs", Method: http.MethodGet, Path: "/api/packages/{package}/roles/{role}/proofs"},
	{Name: "setRoleProofs", Method: http.MethodPut, Path: "/api/packages/{package}/roles/{role}/proofs"},
	{Name: "getPackageProofs", Method: http.MethodGet, Path: "/api/packages/{package}/proofs"},
}

// operations returns every signing operation with its rule, for the platform that client
// calls.
func operations(client *platform.Client) []*operation {
	var all []*operation
	for _, o := range slices.Concat(platform.Operations(), ours) {
		r, ok := rules[o.Name]
		if !ok {
			panic("signingproxy: no rule says who can " + o.Name)
		}
		if o.Name == "createCustomField" && o.Method == http.MethodPut {
			r.check = signing.CheckCustomFieldUpdate
		}
		switch {
		case r.serve != nil:
		case o.Method == http.MethodGet:
			r.serve = (*Proxy).read
		default:
			r.serve = (*Proxy).change
		}
		if r.once {
			r.serve = idempotent(r.serve)
		}
		all = append(all, &operation{client.Operation(o), r, o.Path})
	}
	return all
}
