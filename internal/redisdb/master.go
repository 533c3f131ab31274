package redisdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// A Sentinel's client closes its connections to the master of before when it hears of a
// switch-over. A connection that was being made at that moment is not among them. It would lead
// to a server that takes writes, and loses them, until the Sentinels make it a replica, 10
// seconds later; and then to a replica that lags behind. So each new connection is checked
// before its first command, when it is among those that are closed: it must lead to the master
// that the Sentinels name by then, and that must be none but a master.

// errNoMaster ends a connection that does not lead to the master. What was to be sent by it was
// not sent; reads try again with another connection.
var errNoMaster = fmt.Errorf("redisdb: READONLY: the Sentinels name another master: %w", io.ErrUnexpectedEOF)

// addressedConn is a connection with the address that was dialled.
type addressedConn struct {
	net.Conn
	address string
	// check, if given, is called before the first write, and closed when it is closed.
	check  func(address string) error
	closed func()
}

func (n *addressedConn) Write(p []byte) (int, error) {
	if check := n.check; check != nil {
		n.check = nil
		if err := check(n.address); err != nil {
			return 0, err
		}
	}
	return n.Conn.Write(p)
}

// Close closes the connection, as its user or a switch-over does.
func (n *addressedConn) Close() error {
	if n.closed != nil {
		n.closed()
	}
	return n.Conn.Close()
}

func (n *addressedConn) self() *addressedConn { return n }

// namedSocket is a connection whose socket go-redis can look at while it is idle.
type namedSocket struct {
	*addressedConn
	syscall.Conn
}

// naming returns d's dialer of a server or a Sentinel, whose connections know their address.
func (s *switchOvers) naming(d *dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		address = s.now(address)
		conn, err := d.Dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		n := &addressedConn{Conn: conn, address: address}
		if socket, ok := conn.(syscall.Conn); ok {
			return namedSocket{n, socket}, nil
		}
		return n, nil
	}
}

// toMaster is a hook of a Sentinel's client that checks each connection to a master.
type toMaster struct {
	// dial dials the master that the Sentinels name.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	opt  *redis.Options
	*switchOvers
}

var _ redis.Hook = toMaster{}

// DialHook has a connection checked before its first write.
func (m toMaster) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := next(ctx, network, address)
		if n, ok := conn.(interface{ self() *addressedConn }); ok && err == nil {
			n.self().check = m.stillNamed
			m.watch(n.self())
		}
		return conn, err
	}
}

// ProcessHook changes nothing.
func (toMaster) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

// ProcessPipelineHook changes nothing.
func (toMaster) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// stillNamed returns an error unless the Sentinels name the master at that address.
func (m toMaster) stillNamed(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), m.opt.DialTimeout)
	defer cancel()
	conn, err := m.dial(ctx, m.opt.Network, m.opt.Addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if n, ok := conn.(interface{ self() *addressedConn }); ok && n.self().address != address {
		return errNoMaster
	}
	return nil
}

// leadsToMaster returns an error if conn leads to a replica, or does not answer: a Sentinel names
// the master of before until it has heard of a switch-over, which may be a replica by then.
// Clients of Sentinel are asked to make this check (redis.io, "Guidelines for Redis clients with
// support for Redis Sentinel"). A Sentinel's own role is another one, and a user without the
// right to ask for the role cannot be told.
func leadsToMaster(ctx context.Context, conn *redis.Conn) error {
	role, err := conn.Do(ctx, "role").Slice()
	if _, refused := errors.AsType[redis.Error](err); err != nil && !refused {
		return err // its reply may still come, and would be taken for another command's
	}
	if len(role) > 0 && role[0] == "slave" {
		return errNoMaster
	}
	return nil
}
