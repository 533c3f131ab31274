#!/bin/sh
# Calls of the signing API, against a local Countersign (go run ./cmd/countersign).
# Needs curl 7.82 or later, jq, and a PDF named lease.pdf in this folder.
# A comment "answers" names the status and key of the refusal that the line below it gets.
set -u

# Sign in: Alice sends packages, Bob signs them, Carol is an administrator.
curl -s -H 'Countersign-Session: bearer' --json '{"credentials":{"passKey":"Sandbox-1!"}}' http://localhost:8080/users/alice@sandbox/login > alice.json
curl -s -H 'Countersign-Session: bearer' --json '{"credentials":{"passKey":"Sandbox-1!"}}' http://localhost:8080/users/bob@sandbox/login > bob.json
curl -s -H 'Countersign-Session: bearer' --json '{"credentials":{"passKey":"Sandbox-1!"}}' http://localhost:8080/users/carol@sandbox/login > carol.json
ALICE=$(jq -r .sessionToken alice.json)
BOB=$(jq -r .sessionToken bob.json)
CAROL=$(jq -r .sessionToken carol.json)

# Create a package with its file.
curl -s -H "Authorization: Basic $ALICE" -H 'Idempotency-Key: lease-17' -F 'payload={"name":"Lease","roles":[{"id":"tenant","signers":[{"email":"bob@sandbox.example","firstName":"Bob","lastName":"Builder","phone":"+436601234567"}]}],"documents":[{"id":"lease","name":"Lease","approvals":[{"id":"signing","role":"tenant","fields":[{"id":"signature","type":"SIGNATURE","subtype":"FULLNAME","page":0,"top":100,"left":100,"width":200,"height":50}]}]}]}' -F file=@lease.pdf http://localhost:8080/api/packages > made.json
PACKAGE=$(jq -r .id made.json)

# A draft is visible to its owner only.
# answers 404 request.not-found
curl -s -H "Authorization: Basic $BOB" http://localhost:8080/api/packages/$PACKAGE

# Read the package.
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/roles
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/roles/tenant
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/documents/lease
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/documents/lease/pdf > lease-so-far.pdf
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/documents/lease/original > original.pdf
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/documents/zip > documents.zip

# Change the package, its roles and documents while it is a draft. PUT and POST do the same.
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"description":"Flat 17"}' http://localhost:8080/api/packages/$PACKAGE
curl -s -H "Authorization: Basic $ALICE" --json '{"emailMessage":"Please sign by Friday."}' http://localhost:8080/api/packages/$PACKAGE
curl -s -H "Authorization: Basic $ALICE" --json '{"id":"landlord","signers":[{"email":"carol@sandbox.example","firstName":"Carol","lastName":"Carter"}]}' http://localhost:8080/api/packages/$PACKAGE/roles
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '[{"id":"landlord","index":0},{"id":"tenant","index":1}]' http://localhost:8080/api/packages/$PACKAGE/roles
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"reassign":true}' http://localhost:8080/api/packages/$PACKAGE/roles/landlord
curl -s -H "Authorization: Basic $ALICE" --json '{"reassign":false}' http://localhost:8080/api/packages/$PACKAGE/roles/landlord
curl -s -H "Authorization: Basic $ALICE" -X DELETE http://localhost:8080/api/packages/$PACKAGE/roles/landlord
curl -s -H "Authorization: Basic $ALICE" -F 'payload={"id":"annex","name":"Annex"}' -F file=@lease.pdf http://localhost:8080/api/packages/$PACKAGE/documents
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '[{"id":"annex","index":0},{"id":"lease","index":1}]' http://localhost:8080/api/packages/$PACKAGE/documents
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"name":"Annex A"}' http://localhost:8080/api/packages/$PACKAGE/documents/annex
curl -s -H "Authorization: Basic $ALICE" --json '{"name":"Annex B"}' http://localhost:8080/api/packages/$PACKAGE/documents/annex
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/documents/visibility > visibility.json
curl -s -H "Authorization: Basic $ALICE" --json '{"configurations":[{"documentUid":"annex","roleUids":["tenant"]}]}' http://localhost:8080/api/packages/$PACKAGE/documents/visibility

# Add approvals and fields.
curl -s -H "Authorization: Basic $ALICE" --json '{"id":"initials","role":"tenant","fields":[{"type":"SIGNATURE","subtype":"INITIALS","page":0,"top":300,"left":100,"width":80,"height":40}]}' http://localhost:8080/api/packages/$PACKAGE/documents/annex/approvals
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/documents/annex/approvals
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/documents/annex/approvals/initials
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"name":"Initials"}' http://localhost:8080/api/packages/$PACKAGE/documents/annex/approvals/initials
curl -s -H "Authorization: Basic $ALICE" --json '{"id":"iban","name":"IBAN","type":"INPUT","subtype":"TEXTFIELD","page":0,"top":400,"left":100,"width":200,"height":30,"validation":{"required":true,"maxLength":34}}' http://localhost:8080/api/packages/$PACKAGE/documents/annex/approvals/initials/fields
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/documents/annex/approvals/initials/fields/iban
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"top":420}' http://localhost:8080/api/packages/$PACKAGE/documents/annex/approvals/initials/fields/iban
curl -s -H "Authorization: Basic $ALICE" --json '{"top":440}' http://localhost:8080/api/packages/$PACKAGE/documents/annex/approvals/initials/fields/iban
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"tooltip":"Without spaces","conditions":[]}' http://localhost:8080/api/packages/$PACKAGE/documents/annex/approvals/initials/fields/iban/conditionalFields
curl -s -H "Authorization: Basic $ALICE" -X DELETE http://localhost:8080/api/packages/$PACKAGE/documents/annex/approvals/initials/fields/iban
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '[{"id":"initials","role":"tenant"}]' http://localhost:8080/api/packages/$PACKAGE/documents/annex/approvals
curl -s -H "Authorization: Basic $ALICE" -X DELETE http://localhost:8080/api/packages/$PACKAGE/documents/annex/approvals/initials
curl -s -H "Authorization: Basic $ALICE" -X DELETE http://localhost:8080/api/packages/$PACKAGE/documents/annex
curl -s -H "Authorization: Basic $ALICE" -F 'payload={"id":"annex","name":"Annex"}' -F file=@lease.pdf http://localhost:8080/api/packages/$PACKAGE/documents
curl -s -H "Authorization: Basic $ALICE" -X DELETE --json '["annex"]' http://localhost:8080/api/packages/$PACKAGE/documents

# Request a file from a role's signer.
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"attachmentRequirements":[{"id":"passport","name":"Passport","description":"A scan of it.","required":true}]}' http://localhost:8080/api/packages/$PACKAGE/roles/tenant

# Set reminders.
curl -s -H "Authorization: Basic $ALICE" --json '{"startInDaysDelay":7,"intervalInDays":7,"repetitionsCount":2}' http://localhost:8080/api/packages/$PACKAGE/reminders
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"startInDaysDelay":3,"intervalInDays":2,"repetitionsCount":4}' http://localhost:8080/api/packages/$PACKAGE/reminders
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/reminders
curl -s -H "Authorization: Basic $ALICE" -X DELETE http://localhost:8080/api/packages/$PACKAGE/reminders

# Send the package, then follow it.
curl -s -H "Authorization: Basic $ALICE" --json '{"status":"SENT"}' http://localhost:8080/api/packages/$PACKAGE
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/signingStatus
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/fieldSummary
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/audit
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/evidence/summary > evidence.pdf
curl -s -H "Authorization: Basic $ALICE" --json '{"email":"bob@sandbox.example","message":"By Friday, please."}' http://localhost:8080/api/packages/$PACKAGE/notifications
curl -s -H "Authorization: Basic $ALICE" -X POST http://localhost:8080/api/packages/$PACKAGE/roles/tenant/notifications
curl -s -H "Authorization: Basic $ALICE" -X POST http://localhost:8080/api/packages/$PACKAGE/roles/tenant/sms_notification
curl -s -H "Authorization: Basic $ALICE" -X POST http://localhost:8080/api/packages/$PACKAGE/roles/tenant/unlock

# The signer reads and signs. Only the signer gets a signing URL or token.
curl -s -H "Authorization: Basic $BOB" http://localhost:8080/api/packages/$PACKAGE > reduced.json
curl -s -H "Authorization: Basic $BOB" http://localhost:8080/api/packages/$PACKAGE/roles/tenant/signingUrl
curl -s -H "Authorization: Basic $BOB" --json '{"packageId":"'$PACKAGE'","signerId":"bob@sandbox.example"}' http://localhost:8080/api/authenticationTokens/signer/singleUse
curl -s -H "Authorization: Basic $BOB" --json '{"packageId":"'$PACKAGE'","signerId":"bob@sandbox.example"}' http://localhost:8080/api/signerAuthenticationTokens
curl -s -H "Authorization: Basic $BOB" http://localhost:8080/api/packages/$PACKAGE/signers/bob@sandbox.example/approvals
curl -s -H "Authorization: Basic $BOB" http://localhost:8080/api/packages/$PACKAGE/documents/lease/signers/bob@sandbox.example/approvals
curl -s -H "Authorization: Basic $BOB" http://localhost:8080/api/package_information/$PACKAGE/support_information
# answers 403 signing.read-only
curl -s -H "Authorization: Basic $BOB" -X DELETE http://localhost:8080/api/packages/$PACKAGE
# answers 403 signing.not-your-role
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/roles/tenant/signingUrl

# Attach the requested file, as the signer.
curl -s -H "Authorization: Basic $BOB" -F file=@lease.pdf http://localhost:8080/api/packages/$PACKAGE/attachment/passport
# answers 403 signing.not-your-role
curl -s -H "Authorization: Basic $ALICE" -F file=@lease.pdf http://localhost:8080/api/packages/$PACKAGE/attachment/passport
curl -s -H "Authorization: Basic $BOB" http://localhost:8080/api/packages/$PACKAGE/attachment/passport > passport.pdf
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/attachment/passport/1 > passport.pdf
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/attachment/passport/file/1 > passport.pdf
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$PACKAGE/attachment/zip > attachments.zip
curl -s -H "Authorization: Basic $BOB" http://localhost:8080/api/packages/$PACKAGE/attachment/zip/tenant > mine.zip
curl -s -H "Authorization: Basic $BOB" -X DELETE http://localhost:8080/api/packages/$PACKAGE/attachment/passport/1
curl -s -H "Authorization: Basic $BOB" -F file=@lease.pdf http://localhost:8080/api/packages/$PACKAGE/attachment/passport
curl -s -H "Authorization: Basic $BOB" -X DELETE http://localhost:8080/api/packages/$PACKAGE/attachment/passport/file/1

# Custom fields of the account.
curl -s -H "Authorization: Basic $CAROL" --json '{"id":"branch","value":"Linz","required":false,"translations":[{"language":"en","name":"Branch"}]}' http://localhost:8080/api/account/customfields
curl -s -H "Authorization: Basic $CAROL" -X PUT --json '{"id":"branch","value":"Graz","required":false,"translations":[{"language":"en","name":"Branch"}]}' http://localhost:8080/api/account/customfields
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/account/customfields
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/account/customfields/branch
# answers 403 signing.operators-only
curl -s -H "Authorization: Basic $ALICE" -X DELETE http://localhost:8080/api/account/customfields/branch
curl -s -H "Authorization: Basic $CAROL" -X DELETE http://localhost:8080/api/account/customfields/branch

# Save a template, and create a package from it.
curl -s -H "Authorization: Basic $ALICE" --json '{"name":"Lease","type":"TEMPLATE","emailMessage":"","roles":[{"id":"tenant","signers":[]},{"id":"landlord","signers":[]}]}' http://localhost:8080/api/packages/$PACKAGE/clone > template.json
TEMPLATE=$(jq -r .id template.json)
curl -s -H "Authorization: Basic $ALICE" "http://localhost:8080/api/packages?type=TEMPLATE&mine=owner"
curl -s -H "Authorization: Basic $ALICE" --json '{"name":"Lease of the barn","type":"PACKAGE"}' http://localhost:8080/api/packages/$TEMPLATE/clone > used.json
USED=$(jq -r .id used.json)
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"emailMessage":"Alice asks you to sign “Lease of the barn”.","language":"en","due":"2099-12-31T23:59:59Z"}' http://localhost:8080/api/packages/$USED
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"reassign":true,"emailMessage":{"content":"The barn, Bob."},"signers":[{"email":"bob@sandbox.example","firstName":"Bob","lastName":"Builder"}]}' http://localhost:8080/api/packages/$USED/roles/tenant
curl -s -H "Authorization: Basic $ALICE" -X DELETE http://localhost:8080/api/packages/$USED
curl -s -H "Authorization: Basic $ALICE" -X DELETE http://localhost:8080/api/packages/$TEMPLATE

# Cancel a package with a reason.
curl -s -H "Authorization: Basic $ALICE" --json '{"name":"Lease, once more"}' http://localhost:8080/api/packages/$PACKAGE/clone > clone.json
CLONE=$(jq -r .id clone.json)
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"status":"SENT"}' http://localhost:8080/api/packages/$CLONE
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$CLONE > sent.json
SENDER=$(jq -r .sender.id sent.json)
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"status":"DECLINED","messages":[{"from":{"id":"'$SENDER'"},"content":"The flat is taken."}]}' http://localhost:8080/api/packages/$CLONE
curl -s -H "Authorization: Basic $ALICE" -X DELETE http://localhost:8080/api/packages/$CLONE

# Repeat a request safely.
curl -s -H "Authorization: Basic $ALICE" -H 'Idempotency-Key: rent-18' --json '{"name":"Rent"}' http://localhost:8080/api/packages > first.json
curl -s -H "Authorization: Basic $ALICE" -H 'Idempotency-Key: rent-18' --json '{"name":"Rent"}' http://localhost:8080/api/packages > second.json
# answers 422 request.idempotency-mismatch
curl -s -H "Authorization: Basic $ALICE" -H 'Idempotency-Key: rent-18' --json '{"name":"Rent!"}' http://localhost:8080/api/packages

# List and export packages.
curl -s -H "Authorization: Basic $ALICE" 'http://localhost:8080/api/packages?query=SENT&from=1&to=20'
curl -s -H "Authorization: Basic $BOB" 'http://localhost:8080/api/packages?mine=to-sign'
curl -s -H "Authorization: Basic $CAROL" 'http://localhost:8080/api/packages?sort=updated&dir=desc'
# answers 400 request.invalid
curl -s -H "Authorization: Basic $ALICE" 'http://localhost:8080/api/packages?from=a'
curl -s -H "Authorization: Basic $CAROL" 'http://localhost:8080/api/packages/export?format=csv' > packages.csv

# Require an identity check, pass it, and compare a document with the recorded hash.
curl -s -H "Authorization: Basic $ALICE" --json '{"name":"Lease, verified"}' http://localhost:8080/api/packages/$PACKAGE/clone > verified.json
VERIFIED=$(jq -r .id verified.json)
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"identity":{"maxAge":86400}}' http://localhost:8080/api/packages/$VERIFIED/roles/tenant/proofs
curl -s -H "Authorization: Basic $ALICE" -X PUT --json '{"status":"SENT"}' http://localhost:8080/api/packages/$VERIFIED
curl -s -H "Authorization: Basic $BOB" -X PUT --json '{"users":[{"first_name":"Bob","last_name":"Builder"}]}' "http://localhost:8080/api/transaction?for=self" > check.json
CHECK=$(jq -r .id check.json)
curl -s --json '{"status":"completed","result":"Passed","firstName":"BOB","lastName":"BUILDER"}' http://127.0.0.1:8081/_manage/transactions/$CHECK
curl -s -H "Authorization: Basic $BOB" --json '{"packageId":"'$VERIFIED'","signerId":"bob@sandbox.example"}' http://localhost:8080/api/authenticationTokens/signer/singleUse
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$VERIFIED/proofs > proofs.json
curl -s -H "Authorization: Basic $ALICE" http://localhost:8080/api/packages/$VERIFIED/documents/lease/pdf > shown.pdf
SHOWN=$(jq -r .roles[0].kept[0].documents[0].sha256 proofs.json)
echo "$SHOWN  shown.pdf" | sha256sum --check
