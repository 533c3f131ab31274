#!/bin/sh
# Pushes and pushed transactions: accepted, refused and timed out, against a local Countersign
# (go run ./cmd/countersign). Needs curl 7.82 or later and jq.
# A comment "answers" has the status and key, or the body, of the response to the line below it.
set -u

# Sign in with a push; the sandbox is the user's device.
curl -s -H 'Countersign-Session: bearer' --json '{"orchestrationDelivery":["pushNotification"]}' http://localhost:8080/users/bob@sandbox/login > push.json
TOKEN=$(jq -r .sessionToken push.json)
ID=$(jq -r .requestID push.json)
curl --json '{"decision":"accept"}' http://127.0.0.1:8081/_manage/push/$ID
curl -s -H "Authorization: Bearer $TOKEN" http://localhost:8080/sessions/$ID > status.json
TOKEN=$(jq -r .sessionToken status.json)

# Refuse a push. The final result is reported once.
curl -s -H 'Countersign-Session: bearer' --json '{"orchestrationDelivery":["pushNotification"]}' http://localhost:8080/users/carol@sandbox/login > push.json
WAITING=$(jq -r .sessionToken push.json)
ID=$(jq -r .requestID push.json)
curl --json '{"decision":"refuse"}' http://127.0.0.1:8081/_manage/push/$ID
# answers {"sessionStatus":"refused"}
curl -H "Authorization: Bearer $WAITING" http://localhost:8080/sessions/$ID
# answers 404 sign-in.unknown
curl -H "Authorization: Bearer $WAITING" http://localhost:8080/sessions/$ID

# Push a transaction and accept it.
curl -s -H "Authorization: Bearer $TOKEN" --json '{"orchestrationDelivery":["pushNotification"],"data":{"transactionMessage":{"authentMethod":"PIN","dataFields":[{"key":{"text":"Amount"},"value":{"text":"100 EUR"}}]}}}' http://localhost:8080/users/me/transactions/validate > pushed.json
ID=$(jq -r .requestID pushed.json)
curl --json '{"decision":"accept"}' http://127.0.0.1:8081/_manage/push/$ID
# answers {"sessionStatus":"accepted"}
curl -H "Authorization: Bearer $TOKEN" http://localhost:8080/sessions/$ID

# A transaction times out after 60 seconds.
curl -s -H "Authorization: Bearer $TOKEN" --json '{"orchestrationDelivery":["pushNotification"],"data":{"transactionMessage":{"authentMethod":"PIN","dataFields":[{"key":{"text":"Amount"},"value":{"text":"100 EUR"}}]}}}' http://localhost:8080/users/me/transactions/validate > pushed.json
ID=$(jq -r .requestID pushed.json)
curl --json '{"advance":"61s"}' http://127.0.0.1:8081/_manage/clock
# answers {"sessionStatus":"timeout"}
curl -H "Authorization: Bearer $TOKEN" http://localhost:8080/sessions/$ID
