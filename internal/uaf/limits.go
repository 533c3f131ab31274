package uaf

// The protocol's limits, in bytes unless said otherwise (UAF protocol, section on data
// types and operations), and a few of this package's own where the protocol names none.
// Each is checked before the limited part is decoded.
const (
	// MaxMessage is this package's own: the longest accepted message.
	MaxMessage = 256 << 10

	maxAssertionSize            = 4096
	minChallenge, maxChallenge  = 8, 64
	minKeyID, maxKeyID          = 32, 2048
	minNonce, maxNonce          = 8, 64
	maxServerData               = 1536
	hashSize                    = 32
	aaidSize                    = 9
	registrationInfoSize        = 7
	authenticationInfoSize      = 5
	registrationCountersSize    = 8
	authenticationCounterSize   = 4
	maxSignature                = maxAssertionSize
	maxPublicKey                = maxAssertionSize
	maxCertificate              = maxAssertionSize
	tlvHeader                   = 4
	maxUint16                   = 1<<16 - 1
	maxPlainText                = 200
	maxAppID, maxUsername       = 512, 128 // characters
	maxExtensionID              = 32       // characters
	maxFCParams                 = 16 << 10 // characters, this package's own
	maxDictionaries             = 16       // per message, this package's own
	maxAssertions               = 32       // per message, this package's own
	maxCertificatesPerAssertion = 8        // this package's own
	maxTransactions             = 32       // per request, this package's own
)
