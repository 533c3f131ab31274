package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/config"
	identityapi "countersign/internal/identity/platform"
	signingapi "countersign/internal/signing/platform"
	verificationapi "countersign/internal/verification/platform"

	"github.com/google/go-cmp/cmp"
)

const (
	hexKey    = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	base64Key = "//////////////////////////////////////////4="
	urlKey    = "__________________________________________0"
)

// load loads settings written NAME=value without the prefix.
func load(settings ...string) (config.Config, error) {
	environ := []string{"PATH=/bin", "HOME=/nowhere"}
	for _, s := range settings {
		environ = append(environ, config.Prefix+s)
	}
	return config.Load(environ, os.ReadFile, operations()...)
}

// operations returns the platform's operations.
func operations() []config.Path {
	return slices.Concat(identityapi.Paths(), signingapi.Paths(), verificationapi.Paths())
}

func mustLoad(t *testing.T, settings ...string) config.Config {
	t.Helper()
	c, err := load(settings...)
	if err != nil {
		t.Fatalf("Load(%q): %v", settings, err)
	}
	return c
}

// problems returns what Load reports, one problem a line.
func problems(t *testing.T, settings ...string) []string {
	t.Helper()
	_, err := load(settings...)
	var list config.Problems
	if !errors.As(err, &list) {
		t.Fatalf("Load(%q) = %v, want Problems", settings, err)
	}
	for _, problem := range list {
		if !strings.HasPrefix(problem, config.Prefix) || strings.Contains(problem, "\n") {
			t.Errorf("a problem is one line that begins with its variable, not %q", problem)
		}
	}
	return list
}

// wantProblem checks that settings have exactly one problem, which names the variable.
func wantProblem(t *testing.T, name string, settings ...string) {
	t.Helper()
	got := problems(t, settings...)
	if len(got) != 1 || !strings.HasPrefix(got[0], config.Prefix+name+": ") {
		t.Errorf("Load(%q): problems %q, want one with %s", settings, got, name)
	}
}

func TestLoad_NothingSetIsEmbedded(t *testing.T) {
	c := mustLoad(t)
	if c.Production() || !c.EmbeddedRedis() || c.Identity.URL != "" {
		t.Error("with nothing set every part is embedded")
	}
	if len(c.Session.Keys) != 1 || len(c.Session.Keys[0]) != 32 || len(c.DecoyKey) != 32 {
		t.Error("embedded, the keys are made at start")
	}
	if string(c.DecoyKey) == string(mustLoad(t).DecoyKey) {
		t.Error("two starts made the same key")
	}
	if len(c.Warnings) != 0 {
		t.Errorf("warnings %q about nothing", c.Warnings)
	}
	got := []any{
		c.Addr, c.AdminAddr, c.PublicOrigin.String(), c.RPOrigins, c.Operators, c.Log.Format, c.Log.Level.String(),
		c.Session.Idle, c.Session.Lifetime, c.StepUpAge, c.CeremonyTTL, c.UpstreamTimeout, c.RemoteTransactionTimeout,
		c.Redis.Mode, c.PlatformRelease, c.Rates,
		c.Sandbox.Addr, c.Sandbox.RPID, c.Sandbox.RPOrigins, c.Sandbox.UAFAppID, c.Sandbox.UAFFacets,
	}
	want := []any{
		"127.0.0.1:8080", "127.0.0.1:9090", "http://localhost:8080", []string{"http://localhost:8080"}, []string{"carol@sandbox"}, "text", "info",
		30 * time.Minute, 12 * time.Hour, 10 * time.Minute, 5 * time.Minute, 10 * time.Second, time.Minute,
		"single", "22.R4", config.Rates{SignIn: "10/m", SignInAddress: "60/m", Ceremony: "30/m", Push: "3/m", CeremonyAddress: "60/m", Lookup: "60/m", Verification: "20/h"},
		"127.0.0.1:8081", "localhost", []string{"http://localhost:8080"}, "http://localhost:8080/uaf/facets", []string{"http://localhost:8080"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestLoad_ProblemsByVariable(t *testing.T) {
	for name, values := range map[string][]string{
		"ADDR":                 {"8080", "localhost", ":http", ":65536", "1.2.3.4:-1"},
		"PUBLIC_ORIGIN":        {"localhost:8080", "https://a.example/", "ftp://a.example"},
		"RP_ORIGINS":           {"https://a.example/x", "android:apk-key-hash:", "android:apk-key-hash:a+b/", "android:apk-key-hash:AAAA=", ","},
		"TRUSTED_PROXIES":      {"proxy", "10.0.0.0/33", "fe80::1%eth0", "fe80::%eth0/64", "::ffff:10.0.0.0/95", "::ffff:10.0.0.0/129"},
		"REDIS_URL":            {"localhost:6379", "http://localhost", "redis://%zz", "rediss://r.example?skip_verify=true", "rediss://r.example?db=1&skip_verify=1", "rediss://r.example?Skip_Verify=T", "rediss://r.example?skip_verify=false&skip_verify=true", "rediss://r.example?skip%5Fverify=yes"},
		"SESSION_KEYS":         {"short", hexKey + "," + hexKey, hexKey[:62], hexKey + ",x", strings.Repeat("!", 43), ",", hexKey + "," + strings.Repeat("01", 32)},
		"DECOY_KEY":            {"AAAA", hexKey + "00", strings.Repeat("z", 64), strings.Repeat("00", 32), strings.Repeat("aB", 32), strings.Repeat("/", 42) + "8="},
		"SESSION_IDLE":         {"30", "0s", "-1m", "soon", "13h", "1us"},
		"OPERATORS":            {"carol", "carol@", "ca rol@sandbox", "a@b,c"},
		"PLATFORM_RELEASE":     {"22.R5", "22.r4"},
		"RATE_PUSH":            {"3", "Off", "0/m"},
		"USER_CASE":            {"Fold", "lower", "off"},
		"APP_SESSIONS":         {"all", "Bound", "off"},
		"BROWSER_SESSIONS":     {"all", "Bound", "off"},
		"DEFAULT_DOMAIN":       {"@sandbox", "sand box", "a/b", strings.Repeat("a", 65)},
		"SANDBOX":              {"sandbox"},
		"UAF_MODELS":           {"1234", "1234#ABCG", "1234#ABCDE"},
		"RATE_SIGN_IN":         {"10", "0/m", "-1/s", "10/d", "OFF", "1.5/s", "10/m "},
		"LOG_LEVEL":            {"loud", "INFO+1"},
		"LOG_FORMAT":           {"xml"},
		"RATE_LOOKUP":          {"60", "on"},
		"ACCESS_KEYS":          {"short", strings.Repeat("00", 32), hexKey + "," + hexKey},
		"MAX_UPLOAD":           {"0", "-1", "40 mib b", "1.5GiB", "2000GiB", "999999999999GiB", "MiB"},
		"TRUST_PLATFORM_EMAIL": {"maybe"},
		"SIGNING_URL":          {"localhost:8081", "ftp://localhost", "http://user:hunter2@localhost", "http://localhost/?a", "https://tenant.example.com"},
		"SIGNING_API_KEY":      {"key"},
		"SIGNING_CALLBACK_KEY": {"a b", "\x01"},
		"UPSTREAM_TIMEOUT":     {"10", "0s"},
		"SMTP_URL":             {"mail.example:587", "https://mail.example", "smtp://", "smtp://mail.example:0", "smtp://mail.example:x", "smtp://mail.example/x", "smtp://mail.example?tls=no", "smtp://me:hunter2@"},
		"SIGNING_SWEEP":        {"0", "5"},
		"SIGNING_TRASH_AFTER":  {"0", "-1", "30d", "720h", "1.5", "36501", "never", "Off", "99999999999999999999"},
		"IDV_ERASE_AFTER":      {"0", "-30", "30 days", "1e3", "36501"},
		"SIGNING_CREATORS":     {"nobody", "Operators"},
		"IDV_CREATORS":         {"starter"},
		"IDV_ERASURE":          {"everybody"},
		"IDV_CLIENT_MEMBERS":   {"tenant_id", "status,other", "Status", "consent"},
		"SIGNING_SITE_HOSTS":   {"https://a.example", "a.example:0", "a.example:x", "a b", "a.example/x", ",", "*.example"},
		"SANDBOX_ADDR":         {"8081"},
		"SANDBOX_SMTP_ADDR":    {"localhost", "mail.example:smtp"},
		"SANDBOX_HOSTS":        {"https://a.example", "a.example:0", "a.example:x", "a b", "a.example/x", ",", "*.example"},
		"SANDBOX_MANAGE_KEY":   {"two words", "schlüssel"},
		"SANDBOX_RP_ID":        {"https://a.example", "a..example"},
		"SANDBOX_UAF_APP_ID":   {"app", "https://u:p@a.example"},
		"SANDBOX_UAF_FACETS":   {"ios:bundle-id:", "https://a.example/", "web"},
		"SANDBOX_UAF_METADATA": {"[", "[1,]"},
	} {
		for _, value := range values {
			wantProblem(t, name, name+"="+value)
		}
	}
}

func TestPlatformURL_Invalid(t *testing.T) {
	for _, value := range []string{"tenant.example.com", "ftp://tenant.example.com", "https://", "https://a.example/?x=1", "https://a.example/#x", "https://user:hunter2@a.example"} {
		got := problems(t, production("PLATFORM_URL="+value)...)
		if !strings.HasPrefix(got[0], config.Prefix+"PLATFORM_URL: ") || strings.Contains(got[0], "hunter2") {
			t.Errorf("PLATFORM_URL=%s: %q", value, got)
		}
	}
	if c := mustLoad(t, production("PLATFORM_URL=http://platform.example.com")...); len(c.Warnings) != 1 {
		t.Errorf("a credential in the clear deserves one warning, not %q", c.Warnings)
	}
}

func TestLoad_EmptyIsUnset(t *testing.T) {
	c := mustLoad(t, "PLATFORM_URL=", "SESSION_IDLE=", "DECOY_KEY=", "DECOY_KEY_FILE=", "SANDBOX_ADDR=", "PUBLIC_ORIGIN=")
	if c.Production() || c.Session.Idle != 30*time.Minute || c.PublicOrigin.String() != "http://localhost:8080" {
		t.Errorf("empty settings changed something: %+v", c)
	}
}

func TestTimes_Consistent(t *testing.T) {
	c := mustLoad(t, "SESSION_LIFETIME=3s")
	if c.Session.Idle != 3*time.Second {
		t.Errorf("an unset SESSION_IDLE is %s for sessions of 3s", c.Session.Idle)
	}
	c = mustLoad(t, "SESSION_IDLE=1s", "SESSION_LIFETIME=1s", "STEP_UP_AGE=1s", "CEREMONY_TTL=1s", "UPSTREAM_TIMEOUT=250ms")
	if c.Session.Idle != time.Second || c.UpstreamTimeout != 250*time.Millisecond {
		t.Errorf("short times: %+v", c.Session)
	}
	wantProblem(t, "SESSION_IDLE", "SESSION_IDLE=2s", "SESSION_LIFETIME=1s")
}

func TestRedis_Modes(t *testing.T) {
	wantProblem(t, "REDIS_MODE", "REDIS_MODE=ring")
	wantProblem(t, "REDIS_MODE", "REDIS_MODE=cluster")
	wantProblem(t, "REDIS_URL", "REDIS_MODE=sentinel", "REDIS_URL=redis://localhost:26379")
	mustLoad(t, "REDIS_MODE=sentinel", "REDIS_URL=redis://localhost:26379?master_name=main")
	if c := mustLoad(t, "REDIS_MODE=cluster", "REDIS_URL=redis://localhost:7000"); c.EmbeddedRedis() || c.Production() {
		t.Error("a real Redis with the embedded platform")
	}
}

func TestRedis_UnusedSettingIsProblem(t *testing.T) {
	certificate, key := pair(t)
	tls := "REDIS_URL=rediss://localhost"
	wantProblem(t, "REDIS_CA", "REDIS_URL=redis://localhost", "REDIS_CA="+certificate)
	wantProblem(t, "REDIS_CA", "REDIS_CA="+certificate)
	wantProblem(t, "REDIS_CA", tls, "REDIS_CA="+key)
	wantProblem(t, "REDIS_CLIENT_CERT", "REDIS_URL=redis://localhost", "REDIS_CLIENT_CERT="+certificate, "REDIS_CLIENT_KEY="+key)
	wantProblem(t, "REDIS_CLIENT_CERT", tls, "REDIS_CLIENT_KEY="+key)
	wantProblem(t, "REDIS_CLIENT_KEY", tls, "REDIS_CLIENT_CERT="+certificate)
	c := mustLoad(t, tls, "REDIS_CA="+certificate, "REDIS_CLIENT_CERT="+certificate, "REDIS_CLIENT_KEY="+key)
	if got := c.Redis.TLS(); len(got.Certificates) != 1 || got.RootCAs == nil {
		t.Errorf("%d certificates, authorities %v", len(got.Certificates), got.RootCAs)
	}
	c = mustLoad(t, "REDIS_URL=redis://:secret@localhost?master_name=main", "REDIS_MODE=sentinel")
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "parameter password") {
		t.Errorf("a password of the Sentinels alone: %q", c.Warnings)
	}
	if c = mustLoad(t, "REDIS_URL=redis://:secret@localhost?master_name=main&password=x", "REDIS_MODE=sentinel"); len(c.Warnings) != 0 {
		t.Errorf("two passwords: %q", c.Warnings)
	}
}

func TestIDV_CreatorsAndErasure(t *testing.T) {
	if c := mustLoad(t, "IDV_CREATORS=operators", "IDV_ERASURE=starter"); !c.IDV.OperatorsCreate() || !c.IDV.StarterErases() {
		t.Errorf("%+v", c.IDV)
	}
}

func TestLoad_WarnsOfUnknownSettings(t *testing.T) {
	c := mustLoad(t, "SESION_IDLE=1m", "ADDR_FILE=x", "A_LATER_SETTING=1", "SMTP_ADDR=localhost:25")
	want := []string{
		"COUNTERSIGN_ADDR_FILE: unknown setting",
		"COUNTERSIGN_A_LATER_SETTING: unknown setting",
		"COUNTERSIGN_SESION_IDLE: unknown setting",
		"COUNTERSIGN_SMTP_ADDR: unknown setting",
	}
	if diff := cmp.Diff(want, c.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestLoad_WarnsOfUnwiseSettings(t *testing.T) {
	for _, s := range []string{
		"TRUSTED_PROXIES=0.0.0.0/0",
		"TRUSTED_PROXIES=::ffff:0:0/96",
		"RP_ORIGINS=https://other.example.com",
		"RP_ORIGINS=http://localhost:8080,android:apk-key-hash:AAAA",
		"SANDBOX_ADDR=:8081",
		"ADMIN_ADDR=:9090",
		"ADMIN_ADDR=192.0.2.7:9090",
		"IDENTITY_AUTHORIZATION=none",
		"IDENTITY_CLIENT_CERT=none",
		"REDIS_URL=redis://redis.example.com",
		"REDIS_URL=redis://127.0.0.1?addr=192.0.2.7:6379",
		"REDIS_URL=redis://:secret@192.0.2.7:6379/0",
	} {
		name, _, _ := strings.Cut(s, "=")
		c := mustLoad(t, s)
		if len(c.Warnings) != 1 || !strings.HasPrefix(c.Warnings[0], config.Prefix+name+": ") {
			t.Errorf("%s: warnings %q, want one", s, c.Warnings)
		}
	}
}

func TestLoad_ListsNormalised(t *testing.T) {
	hash := "android:apk-key-hash:" + strings.Repeat("A", 43)
	c := mustLoad(t, "RP_ORIGINS= HTTP://LocalHost:8080 ,https://App.Example.com:443,,"+hash+",https://app.example.com", "OPERATORS=a@b, c@d")
	want := []string{"http://localhost:8080", "https://app.example.com", hash}
	if diff := cmp.Diff(want, c.RPOrigins); diff != "" {
		t.Errorf("RPOrigins (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, c.Sandbox.UAFFacets); diff != "" {
		t.Errorf("the sandbox's facets follow (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a@b", "c@d"}, c.Operators); diff != "" {
		t.Errorf("Operators (-want +got):\n%s", diff)
	}
}

func TestOrigin_FollowsPort(t *testing.T) {
	c := mustLoad(t, "ADDR=127.0.0.1:0").WithPort(4711)
	if c.PublicOrigin.String() != "http://localhost:4711" || c.RPOrigins[0] != "http://localhost:4711" ||
		c.Sandbox.RPOrigins[0] != "http://localhost:4711" || c.Sandbox.UAFAppID != "http://localhost:4711/uaf/facets" {
		t.Errorf("after WithPort: %s, %q, %+v", c.PublicOrigin, c.RPOrigins, c.Sandbox)
	}
	if c = mustLoad(t, "ADDR=:80"); c.PublicOrigin.String() != "http://localhost" {
		t.Errorf("port 80: %s", c.PublicOrigin)
	}
	if c = mustLoad(t, "PUBLIC_ORIGIN=https://a.example", "SANDBOX=on").WithPort(1); c.PublicOrigin.String() != "https://a.example" {
		t.Errorf("a given origin stays, not %s", c.PublicOrigin)
	}
	if c = mustLoad(t, "SANDBOX_RP_ID=b.example", "SANDBOX_RP_ORIGINS=https://b.example").WithPort(1); c.Sandbox.RPID != "b.example" || c.Sandbox.RPOrigins[0] != "https://b.example" {
		t.Errorf("given sandbox settings stay, not %+v", c.Sandbox)
	}
	if c = mustLoad(t, production()...).WithPort(1); c.PublicOrigin.String() != "https://sign.example.com" {
		t.Errorf("production stays, not %s", c.PublicOrigin)
	}
}

// A platform address that cannot be used does not hide other missing settings.
func TestLoad_UnusablePlatformURL(t *testing.T) {
	_, err := config.Load([]string{"COUNTERSIGN_PLATFORM_URL=ftp://p", "COUNTERSIGN_IDENTITY_AUTHORIZATION=none"}, nil)
	for _, name := range []string{"PLATFORM_URL", "REDIS_URL", "SESSION_KEYS", "DECOY_KEY", "PUBLIC_ORIGIN"} {
		if err == nil || !strings.Contains(err.Error(), "COUNTERSIGN_"+name+": ") {
			t.Errorf("nothing about %s in %v", name, err)
		}
	}
}

func TestAccount_CheckAndGrace(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 5 * time.Minute, "off": 0, "10s": 10 * time.Second, "1h": time.Hour} {
		if c := mustLoad(t, "ACCOUNT_CHECK="+text); time.Duration(c.Account.Check) != want {
			t.Errorf("%q is read as %s", text, c.Account.Check)
		}
	}
	mustLoad(t, "ACCOUNT_CHECK=off", "ACCOUNT_GRACE=1s")
	mustLoad(t, "ACCOUNT_CHECK=10s", "ACCOUNT_GRACE=10s")
	for _, text := range []string{"9s", "9999ms", "0", "-1m", "never"} {
		wantProblem(t, "ACCOUNT_CHECK", "ACCOUNT_CHECK="+text)
	}
	wantProblem(t, "ACCOUNT_GRACE", "ACCOUNT_GRACE=4m59s")
	wantProblem(t, "ACCOUNT_GRACE", "ACCOUNT_CHECK=2h")
	wantProblem(t, "ACCOUNT_GRACE", "ACCOUNT_GRACE=off")
}

// A value that came with quotation marks or a byte order mark is refused, whatever the setting
// is, and never repeated.
func TestLoad_WrappedValuesRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("\ufeff"+strings.Repeat("07", 16)+strings.Repeat("08", 16)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, setting := range []string{
		`SMTP_FROM="no-reply@acme.example"`, "IDENTITY_AUTHORIZATION='Basic hunter2'", "IDV_TOKEN=`hunter2`", `LOG_LEVEL="info"`,
		"REDIS_URL=\ufeffredis://:hunter2@localhost", "IDV_TOKEN=hunter2\ufeff", "SESSION_KEYS_FILE=" + file,
	} {
		name, _, _ := strings.Cut(strings.Replace(setting, "_FILE=", "=", 1), "=")
		_, err := load(setting)
		if err == nil || !strings.Contains(err.Error(), config.Prefix+name+": ") || !strings.Contains(err.Error(), "quotation mark") && !strings.Contains(err.Error(), "byte order mark") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", setting, err)
		}
	}
}
