#!/bin/sh
# Every operation of identity checks, against a local Countersign (go run ./cmd/countersign).
# Needs curl 7.82 or later and jq.
# A comment "answers" names the status and key of the refusal that the line below it gets.
set -u

# Sign in: Alice starts identity checks, Carol is an administrator.
curl -s -H 'Countersign-Session: bearer' --json '{"credentials":{"passKey":"Sandbox-1!"}}' http://localhost:8080/users/alice@sandbox/login > alice.json
curl -s -H 'Countersign-Session: bearer' --json '{"credentials":{"passKey":"Sandbox-1!"}}' http://localhost:8080/users/carol@sandbox/login > carol.json
TOKEN=$(jq -r .sessionToken alice.json)
OPERATOR=$(jq -r .sessionToken carol.json)

# Start a check with a document to accept, and read it.
curl -s -H "Authorization: Bearer $TOKEN" -X PUT --json '{"language":"en","users":[{"first_name":"Anna","last_name":"Muster"}],"documents":[{"id":"contract","content":"JVBERi0xLjcKJSVFT0Y="}]}' http://localhost:8080/api/transaction/ > made.json
ID=$(jq -r .id made.json)
curl -s -H "Authorization: Bearer $TOKEN" "http://localhost:8080/api/transactions?from=1&to=50"
curl -s -H "Authorization: Bearer $TOKEN" "http://localhost:8080/api/transaction/$ID?withVerifications=true"
curl -s -H "Authorization: Bearer $TOKEN" http://localhost:8080/api/transaction/$ID/document/contract/pdf > contract.pdf
curl -s -H "Authorization: Bearer $TOKEN" --json '{"role":"customer"}' http://localhost:8080/api/transaction/$ID/token
# answers 404 request.not-found
curl -s -H "Authorization: Bearer $OPERATOR" --json '{"role":"customer"}' http://localhost:8080/api/transaction/$ID/token
# answers 409 verification.not-ready
curl -s -H "Authorization: Bearer $TOKEN" http://localhost:8080/api/transaction/$ID/evidence

# Request an audit trail; the sandbox's clock moves on.
curl -s -H "Authorization: Bearer $TOKEN" -X POST "http://localhost:8080/api/transactions/$ID/generate-audit-trail?force=false"
curl -s --json '{"advance":"3s"}' http://127.0.0.1:8081/_manage/clock
curl -s -H "Authorization: Bearer $TOKEN" http://localhost:8080/api/transactions/$ID/audit-trail > audit-trail.pdf

# The sandbox plays the user. Then read the result, pictures and evidence.
curl -s --json '{"status":"completed","result":"Passed"}' http://127.0.0.1:8081/_manage/transactions/$ID
curl -s -H "Authorization: Bearer $TOKEN" "http://localhost:8080/api/transaction/$ID?withVerifications=true" > completed.json
CHECK=$(jq -r .verifications[0].vhub_verification_id completed.json)
curl -s -H "Authorization: Bearer $TOKEN" http://localhost:8080/api/transaction/$ID/verification
curl -s -H "Authorization: Bearer $TOKEN" http://localhost:8080/api/transactions/$ID/detailed-verification-report
curl -s -H "Authorization: Bearer $TOKEN" http://localhost:8080/api/transaction/$ID/evidence > evidence.pdf
curl -s -H "Authorization: Bearer $TOKEN" http://localhost:8080/api/transactions/$ID/verifications/$CHECK/verification-images
curl -s -H "Authorization: Bearer $TOKEN" http://localhost:8080/api/transactions/$ID/verifications/$CHECK/verification-images/image_submitted_document_front > front.png
# answers 409 verification.state
curl -s -H "Authorization: Bearer $TOKEN" -X PUT --json '{"trigger":"transaction_cancelled"}' http://localhost:8080/api/transaction/$ID/event

# Create a link for another person.
curl -s -H "Authorization: Bearer $TOKEN" -X PUT --json '{"language":"en","users":[{"first_name":"Vera","last_name":"Verified"}]}' http://localhost:8080/api/transaction/ > vera.json
VERA=$(jq -r .id vera.json)
curl -s -H "Authorization: Bearer $TOKEN" --json '{"role":"customer"}' http://localhost:8080/api/transaction/$VERA/token > link.json
LINK=$(jq -r .accessUrl link.json)
curl -s "$LINK" > page.html

# Cancel a check. Mark one for erasure, and take that back.
curl -s -H "Authorization: Bearer $TOKEN" -X PUT --json '{"language":"en","users":[{"first_name":"Anna","last_name":"Muster"}]}' http://localhost:8080/api/transaction/ > other.json
OTHER=$(jq -r .id other.json)
curl -s -H "Authorization: Bearer $TOKEN" -X PUT --json '{"trigger":"transaction_cancelled"}' http://localhost:8080/api/transaction/$OTHER/event
curl -s -H "Authorization: Bearer $OPERATOR" --json "{\"grace_period\":25,\"transaction_ids\":[\"$ID\"]}" http://localhost:8080/api/transactions/mark-for-erasure
curl -s -H "Authorization: Bearer $OPERATOR" --json "{\"transaction_ids\":[\"$ID\"]}" http://localhost:8080/api/transactions/unmark-for-erasure
# answers 403 verification.operators-only
curl -s -H "Authorization: Bearer $TOKEN" --json "{\"grace_period\":25,\"transaction_ids\":[\"$ID\"]}" http://localhost:8080/api/transactions/mark-for-erasure
