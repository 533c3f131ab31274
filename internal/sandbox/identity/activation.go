package identity

import (
	"crypto/rand"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The rules that the specification (part 8) leaves open. The lifetime is public
// (docs/platform.md I9); the sandbox chose the others.
const (
	// activationLifetime limits how long an activation password is valid.
	activationLifetime = 10 * time.Minute
	// activationGrace limits how long an old one is still recognized, and refused as
	// such, after a new one was requested.
	activationGrace = 2 * time.Minute
	// maxDevices limits the activated devices of a person.
	maxDevices = 5
	// maxSurplus limits the activation attempts beyond that before activation is closed.
	maxSurplus = 3
	// activationDigits is the number of digits of an activation password; the last is a
	// check digit.
	activationDigits = 10
)

// activation holds a person's mobile devices: the licence, the present and the previous
// activation password, the devices.
type activation struct {
	serial            string // of the licence; "" before the first request for a password
	current, previous activationPassword
	devices           []device
	surplus           int // activation attempts beyond maxDevices
	// activated says that the last password was used.
	activated bool
}

// activationPassword counts until its end. The zero value is no password.
type activationPassword struct {
	text string
	end  time.Time
}

func (a activationPassword) lives(now time.Time) bool { return now.Before(a.end) }

// device is an instance of the licence on somebody's phone.
type device struct {
	serial         string
	notificationID string // "" until it has registered for notifications
}

// closed reports whether there were too many activation attempts while every instance of
// the licence was in use.
func (a *activation) closed() bool { return a.surplus > maxSurplus }

// license returns the person's licence, and makes one if they have none.
func (a *activation) license() string {
	if a.serial == "" {
		a.serial = "SBX" + digits(7)
	}
	return a.serial
}

// issue makes a new password. The previous one keeps at most its grace period.
func (a *activation) issue(now time.Time) string {
	a.previous = a.current
	if grace := now.Add(activationGrace); a.previous.end.After(grace) {
		a.previous.end = grace
	}
	number := digits(activationDigits - 1)
	a.activated = false
	a.current = activationPassword{text: number + string(checkDigit(number)), end: now.Add(activationLifetime)}
	return a.current.text
}

// check judges a device's password (specification, part 7.2, online activation).
func (a *activation) check(password string, now time.Time) error {
	switch {
	case !a.current.lives(now):
		return orchestrationError(noRegistrationCode)
	case password == a.current.text:
		return nil
	case password == a.previous.text && a.previous.lives(now):
		return orchestrationError(unknownError)
	default:
		return orchestrationError(noEphemeralKey)
	}
}

// activate makes a device an instance of the licence and spends the password. If no
// instance is free, the password is not spent.
func (a *activation) activate(password string, now time.Time) (device, error) {
	if err := a.check(password, now); err != nil {
		return device{}, err
	}
	if len(a.devices) >= maxDevices {
		a.surplus++
		if a.closed() {
			return device{}, orchestrationError(activationsExceeded)
		}
		return device{}, orchestrationError(authenticatorLimit)
	}
	made := device{serial: a.serial + "-" + strconv.Itoa(len(a.devices)+1)}
	a.devices = append(a.devices, made)
	a.current, a.previous, a.activated = activationPassword{}, activationPassword{}, true
	return made, nil
}

// device returns the activated device, or nil.
func (a *activation) device(serial string) *device {
	i := slices.IndexFunc(a.devices, func(d device) bool { return d.serial == serial })
	if i < 0 {
		return nil
	}
	return &a.devices[i]
}

func (a *activation) serials() []string {
	serials := make([]string, 0, len(a.devices))
	for _, d := range a.devices {
		serials = append(serials, d.serial)
	}
	return serials
}

func digits(n int) string {
	var text strings.Builder
	for range n {
		digit, _ := rand.Int(rand.Reader, big.NewInt(10)) // never fails
		text.WriteString(digit.String())
	}
	return text.String()
}

// wellFormed checks length and check digit, as an app's SDK does offline.
func wellFormed(password string) bool {
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	if len(password) != activationDigits || strings.TrimFunc(password, isDigit) != "" {
		return false
	}
	return password[activationDigits-1] == checkDigit(password[:activationDigits-1])
}

// checkDigit returns the check digit by Luhn's algorithm (ISO/IEC 7812-1, annex B).
func checkDigit(number string) byte {
	sum := 0
	for i := range len(number) {
		digit := int(number[len(number)-1-i] - '0')
		if i%2 == 0 {
			digit *= 2
		}
		sum += digit/10 + digit%10
	}
	return byte('0' + (10-sum%10)%10)
}
