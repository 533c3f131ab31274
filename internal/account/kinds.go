package account

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/redis/go-redis/v9"

	"countersign/internal/identity/platform"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

// Made is what is kept of the registration of a passkey.
type Made struct {
	// BackupEligible and BackedUp are the flags BE and BS of its response.
	BackupEligible, BackedUp bool
	At                       time.Time
	// Conditional says that nobody asked for it.
	Conditional bool
}

// storedMade is a Made as it is stored.
type storedMade struct {
	BackupEligible bool  `cbor:"1,keyasint"`
	BackedUp       bool  `cbor:"2,keyasint"`
	At             int64 `cbor:"3,keyasint"` // Unix seconds
	Conditional    bool  `cbor:"4,keyasint,omitempty"`
}

// madeField names a registration in Redis.
func madeField(sealer seal.Sealer, id string) string { return sealer.Name("registration " + id) }

// KeepMade keeps what was seen at the registration that the platform calls id.
func (p *Passkeys) KeepMade(ctx context.Context, person, id string, made Made) error {
	plain, err := cbor.Marshal(storedMade{made.BackupEligible, made.BackedUp, made.At.Unix(), made.Conditional})
	if err != nil {
		return fmt.Errorf("account: encode a registration: %w", err)
	}
	sealer, key := p.place(person)
	key += ":r"
	field := madeField(sealer, id)
	_, err = p.Redis.Pipelined(ctx, func(all redis.Pipeliner) error {
		all.HSet(ctx, key, field, sealer.Seal(plain, []byte(key+field)))
		all.Expire(ctx, key, userLife)
		return nil
	})
	if err != nil {
		return redisdb.Unavailable(ctx, "account: keep a registration", err)
	}
	return nil
}

// ForgetMade forgets what was kept of the registration id, which was removed, and returns it;
// ok is false if there was nothing.
func (p *Passkeys) ForgetMade(ctx context.Context, person, id string) (made Made, ok bool, err error) {
	for _, keys := range p.Keys.Each() {
		if made, ok, err = p.forgetMade(ctx, keys, person, id); ok || err != nil {
			break
		}
	}
	return made, ok, err
}

// forgetMade is ForgetMade for what was kept under one of the keys.
func (p *Passkeys) forgetMade(ctx context.Context, keys seal.Keys, person, id string) (made Made, ok bool, err error) {
	sealer, key := placeUnder(keys, person)
	key += ":r"
	field := madeField(sealer, id)
	var read *redis.StringCmd
	_, err = p.Redis.Pipelined(ctx, func(all redis.Pipeliner) error {
		read = all.HGet(ctx, key, field)
		all.HDel(ctx, key, field)
		return nil
	})
	switch {
	case errors.Is(err, redis.Nil):
		return made, false, nil
	case err != nil:
		return made, false, redisdb.Unavailable(ctx, "account: forget a registration", err)
	}
	plain, ok := sealer.Open([]byte(read.Val()), []byte(key+field))
	var stored storedMade
	if ok = ok && cbor.Unmarshal(plain, &stored) == nil; !ok {
		return made, false, nil
	}
	return Made{stored.BackupEligible, stored.BackedUp, time.Unix(stored.At, 0).UTC(), stored.Conditional}, true, nil
}

// FillIn sets the kind of each passkey of the list of person that was registered here. On an
// error the others are as they were.
func (p *Passkeys) FillIn(ctx context.Context, person string, list []platform.Authenticator) error {
	today := strconv.AppendInt(nil, p.Now().Unix()/int64(day.Seconds()), 10)
	known := true
	for i, a := range list {
		if a.Protocol == platform.FIDO2 {
			kind, remembered := p.kinds.Get(registration{person, a.ID}, today)
			if remembered {
				list[i].Kind = kind
			}
			known = known && remembered
		}
	}
	if known {
		return nil
	}
	for _, keys := range p.Keys.Each() {
		if err := p.fillIn(ctx, keys, person, list); err != nil {
			return err
		}
	}
	for _, a := range list {
		if a.Protocol == platform.FIDO2 && (a.Kind != "" || !a.CreatedAt.IsZero() && p.Now().Sub(a.CreatedAt) > keptWithin) {
			p.kinds.Put(registration{person, a.ID}, today, a.Kind)
		}
	}
	return nil
}

const (
	day = 24 * time.Hour
	// keptWithin is the time after which nothing is kept of a registration any more.
	keptWithin = time.Hour
)

// fillIn is FillIn for what was kept under one of the keys.
func (p *Passkeys) fillIn(ctx context.Context, keys seal.Keys, person string, list []platform.Authenticator) error {
	sealer, key := placeUnder(keys, person)
	key += ":r"
	var read *redis.MapStringStringCmd
	_, err := p.Redis.Pipelined(ctx, func(all redis.Pipeliner) error {
		read = all.HGetAll(ctx, key)
		all.Expire(ctx, key, userLife)
		return nil
	})
	if err != nil {
		return redisdb.Unavailable(ctx, "account: read a person's registrations", err)
	}
	kept := read.Val()
	for i, a := range list {
		field := madeField(sealer, a.ID)
		plain, ok := sealer.Open([]byte(kept[field]), []byte(key+field))
		var made storedMade
		if ok && cbor.Unmarshal(plain, &made) == nil && a.Protocol == platform.FIDO2 {
			list[i].Kind = platform.KindOf(made.BackupEligible)
		}
	}
	return nil
}
