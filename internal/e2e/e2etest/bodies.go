package e2etest

// Bodies of requests.
const (
	RightPassword = `{"credentials":{"passKey":"Sandbox-1!"}}`
	PushedSignIn  = `{"orchestrationDelivery":["pushNotification"]}`
	AskPasskey    = `{"fidoProtocol":"FIDO2"}`
	AskUAFKey     = `{"fidoProtocol":"UAF11"}`

	PushedTransaction = `{"orchestrationDelivery":["pushNotification"],
	"data":{"transactionMessage":{"dataFields":[{"key":{"text":"Amount"},"value":{"text":"5 EUR"}}]}}}`
)
