package web

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/internal/redisdb"
)

// newRedisCalls returns the histogram of the durations of calls to Redis.
func newRedisCalls() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "countersign_redis_call_duration_seconds",
		Help:    "Time of a Redis command or pipeline, by outcome: ok, refused (error response), failed (no response).",
		Buckets: []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1},
	}, []string{"outcome"})
}

// RedisCalls returns the Observe function of the Redis client.
func (m *Metrics) RedisCalls() func(redisdb.Outcome, time.Duration) {
	series := map[redisdb.Outcome]prometheus.Observer{}
	for _, outcome := range []redisdb.Outcome{redisdb.OK, redisdb.Refused, redisdb.Failed} {
		series[outcome] = m.redisCalls.WithLabelValues(string(outcome))
	}
	return func(outcome redisdb.Outcome, elapsed time.Duration) { series[outcome].Observe(elapsed.Seconds()) }
}

// RedisPool shows the connections to Redis.
func (m *Metrics) RedisPool(pool func() redisdb.Pool) {
	connections := func(state string, count func(redisdb.Pool) int) {
		m.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "countersign_redis_connections",
			Help:        "Connections to Redis: used, idle.",
			ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 { return float64(count(pool())) }))
	}
	connections("used", func(p redisdb.Pool) int { return p.Used })
	connections("idle", func(p redisdb.Pool) int { return p.Idle })
	m.Registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "countersign_redis_pool_timeouts_total",
		Help: "Redis commands without a free connection within 800 ms.",
	}, func() float64 { return float64(pool().Timeouts) }))
}

// EventStreams shows the number of open event streams.
func (m *Metrics) EventStreams(count func() int) {
	m.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "countersign_event_streams",
		Help: "Open event streams of this node.",
	}, func() float64 { return float64(count()) }))
}

// Hints shows whether Redis lets this node send and hear hints; refused returns why it does not.
func (m *Metrics) Hints(refused func() error) {
	m.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "countersign_redis_hints",
		Help: "1 while Redis permits the channel for hints; 0 while live pages are slower.",
	}, func() float64 {
		if refused() != nil {
			return 0
		}
		return 1
	}))
}

// LogLost shows how many lines the log has lost; a nil count stands for none.
func (m *Metrics) LogLost(count func() int64) {
	m.Registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "countersign_log_lines_lost_total",
		Help: "Log lines that could not be written, because the reader ended or blocks.",
	}, func() float64 {
		if count == nil {
			return 0
		}
		return float64(count())
	}))
}

// Gaps shows how many pictures of pages lack characters.
func (m *Metrics) Gaps(count func() int64) {
	m.Registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "countersign_incomplete_pictures_total",
		Help: "Page images with missing characters, because no font has them.",
	}, func() float64 { return float64(count()) }))
}
