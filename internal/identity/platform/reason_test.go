package platform_test

import (
	"strings"
	"testing"

	identityapi "countersign/internal/identity/platform"
)

// The platform's numbers are in the error's text, because the log has no other trace of
// numbers without a row; members other than plain words and numbers are left out.
func TestError_TextHasNumbers(t *testing.T) {
	for body, want := range map[string]string{
		`{"errorCode":-9999}`:               `(errorCode -9999)`,
		`{"message":"x","errorCode":-1850}`: `: x (errorCode -1850)`,
		`{"errorCategory":"weather","errorCode":"-1950","logCorrelationId":"5b6a-2f"}`: `(errorCategory weather, errorCode -1950, logCorrelationId 5b6a-2f)`,
		`{"uafStatusCode":1777}`: `(uafStatusCode 1777)`,
		`{"message":"x"}`:        `: x`,
		``:                       `answered 409`,
		`{"message":"x","errorCategory":"forged\nline","logCorrelationId":"` + strings.Repeat("a", 65) + `","errorCode":{}}`: `: x`,
		`{"message":"x","errorCategory":"\u0077eather"}`:                                                                     `: x`,
	} {
		c, _ := says(t, 409, body)
		_, err := c.OrchestrationCommands(t.Context(), identityapi.OrchestrationCommand{Command: "00"})
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: logged as %q, want %q at its end", body, err, want)
		}
	}
}
