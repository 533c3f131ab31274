package e2etest

// LimitsOn has the limits count without ever being reached.
var LimitsOn = []string{"RATE_SIGN_IN=10000/m", "RATE_SIGN_IN_ADDRESS=100000/m", "RATE_CEREMONY=100000/m", "RATE_CEREMONY_ADDRESS=100000/m"}
