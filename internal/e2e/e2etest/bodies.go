package e2etest

const (
	PushedSignIn = `{"orchestrationDelivery":["pushNotification"]}`
	AskPasskey   = `{"fidoProtocol":"FIDO2"}`
	AskUAFKey    = `{"fidoProtocol":"UAF11"}`
)

const PushedTransaction = `{"orchestrationDelivery":["pushNotification"],
	"data":{"transactionMessage":{"dataFields":[{"key":{"text":"Amount"},"value":{"text":"5 EUR"}}]}}}`

const (
	RightPassword = `{"credentials":{"passKey":"Sandbox-1!"}}`
	Payment       = `{"orchestrationDelivery":["pushNotification"],"data":{"transactionMessage":{"dataFields":[{"key":{"text":"Amount"},"value":{"text":"1 EUR"}}]}}}`
)
