package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// systemd is told how the service is (sd_notify(3)): when it serves, when it stops, and,
// where the unit has a watchdog, again and again that it serves. A nil *systemd tells
// nothing.
type systemd struct {
	socket   *net.UnixConn
	watchdog time.Duration // after so long without a sign of life it ends the service; zero for never
	log      *slog.Logger
}

// systemd returns the receiver of notifications; nil if NOTIFY_SOCKET is not set. The address in NOTIFY_SOCKET
// is a path or, from @ on, an abstract name.
func (c command) systemd(log *slog.Logger) (*systemd, error) {
	address := c.variable("NOTIFY_SOCKET")
	if address == "" {
		return nil, nil
	}
	socket, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("NOTIFY_SOCKET: %w", err)
	}
	s := &systemd{socket: socket, log: log}
	ours := strconv.Itoa(os.Getpid())
	if text := c.variable("WATCHDOG_USEC"); text != "" && cmp.Or(c.variable("WATCHDOG_PID"), ours) == ours {
		microseconds, err := strconv.ParseUint(text, 10, 50)
		if err != nil || microseconds == 0 {
			return nil, errors.Join(errors.New("WATCHDOG_USEC: not a number of microseconds"), socket.Close())
		}
		s.watchdog = time.Duration(microseconds) * time.Microsecond
	}
	return s, nil
}

// tell sends a state. A service manager that takes none is no reason to end.
func (s *systemd) tell(state string) {
	if s == nil {
		return
	}
	if _, err := s.socket.Write([]byte(state)); err != nil {
		s.log.Warn("systemd not told", slog.String("state", state), slog.Any("cause", err))
	}
}

// watch tells the watchdog twice in its time that the program serves, until stop is
// called: only while the public address, listening at public under the name of origin, and
// the admin address answer over new connections. What hangs, or takes no connections any
// more, falls silent.
func (s *systemd) watch(public, origin, admin string) (stop func()) {
	if s == nil || s.watchdog == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(s.watchdog / 2)
		defer tick.Stop()
		for {
			asked, done := context.WithTimeout(ctx, s.watchdog/2)
			err := errors.Join(serves(asked, public+"/favicon.ico", origin), serves(asked, admin+"/healthz", ""))
			done()
			if err == nil {
				s.tell("WATCHDOG=1")
			} else if ctx.Err() == nil {
				s.log.Error("watchdog self-check failed", slog.Any("cause", err))
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	return func() { cancel(); watching.Wait() }
}

// serves asks a listener of this process over a new connection, under the host of origin
// unless that is empty.
func serves(ctx context.Context, address, origin string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return err
	}
	_, request.Host, _ = strings.Cut(origin, "://")
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s is answered %s", address, response.Status)
	}
	return nil
}
