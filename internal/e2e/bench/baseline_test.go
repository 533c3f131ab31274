package bench_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	_ "net/http/pprof" // the bare program is profiled like Countersign
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
)

// role makes this test binary the bare program, or the fixed platform.
const role = "TEST_BINARY_ROLE"

var _ = func() bool {
	switch os.Getenv(role) {
	case "bare":
		serve(serveBare)
	case "fixed":
		serve(serveFixed)
	}
	return true
}()

// The environment of the bare program.
const (
	bareRedis    = "BARE_REDIS"
	barePlatform = "BARE_PLATFORM"
	bareAnswer   = "BARE_ANSWER"
)

// bareAllocations is the path at which the bare program says how many allocations it made.
const bareAllocations = "/allocations"

// bare starts the bare program, with an answer of its own or as a proxy.
func (t *bench) bare(b *testing.B, all []holder, path func(user string) string, answer []byte) *side {
	b.Helper()
	_, err := t.redis.Client().Pipelined(b.Context(), func(p redis.Pipeliner) error {
		for _, one := range all {
			p.Set(b.Context(), bareKey(one.authorization), strings.Repeat("x", 350), 0)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	pid, address := start(b, role+"=bare", bareRedis+"="+t.redis.Addr, barePlatform+"="+t.upstream, bareAnswer+"="+string(answer))
	s := newSide("bare", pid, address, all, path)
	s.allocations = func(b *testing.B) float64 { b.Helper(); return number(b, "http://"+address+bareAllocations, "") }
	return s
}

func bareKey(authorization string) string { return "bare:" + authorization }

// serve runs a program of its own.
func serve(program func() error) {
	if err := program(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveBare is a server without any middleware, with the standard clients of Redis and
// HTTP, except that the transport keeps more idle connections.
func serveBare() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	platform, err := url.Parse(os.Getenv(barePlatform))
	if err != nil {
		return err
	}
	client := redis.NewClient(&redis.Options{Addr: os.Getenv(bareRedis)})
	var handler http.Handler
	if answer := os.Getenv(bareAnswer); answer != "" {
		handler = bareHandler(client, []byte(answer))
	} else {
		handler = bareProxy(client, platform)
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == bareAllocations {
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			fmt.Fprintln(w, memory.Mallocs)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/debug/pprof/") {
			http.DefaultServeMux.ServeHTTP(w, r)
			return
		}
		handler.ServeHTTP(w, r)
	}))
}

func bareHandler(client redis.Cmdable, answer []byte) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/session", func(c *gin.Context) {
		if err := client.Get(c.Request.Context(), bareKey(c.GetHeader("Authorization"))).Err(); err != nil {
			c.AbortWithStatus(http.StatusServiceUnavailable)
			return
		}
		c.Data(http.StatusOK, "application/json", answer)
	})
	return engine
}

func bareProxy(client redis.Cmdable, platform *url.URL) http.Handler {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 512
	transport.DisableCompression = true
	proxy := &httputil.ReverseProxy{Transport: transport, BufferPool: &buffers{}, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(platform)
		r.Out.Header.Del("Authorization")
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := client.Get(r.Context(), bareKey(r.Header.Get("Authorization"))).Err(); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	})
}

// buffers are the buffers that a proxy copies through: without them each answer would
// take a new one of 32 KiB.
type buffers struct{ pool sync.Pool }

const bufferSize = 32 << 10

// Get returns a buffer.
func (b *buffers) Get() []byte {
	if buffer, ok := b.pool.Get().(*[bufferSize]byte); ok {
		return buffer[:]
	}
	return make([]byte, bufferSize)
}

// Put takes a buffer back.
func (b *buffers) Put(buffer []byte) { b.pool.Put((*[bufferSize]byte)(buffer)) }
