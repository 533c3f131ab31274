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
// (docs/platform.md I9); the others are the sandbox's own choice.
const (
	// activationLifetime is how long an activation password can be used.
	activationLifetime = 10 * time.Minute
	// activationGrace is how long it is remembered once a new one was asked for.
	activationGrace = 2 * time.Minute
	// maxDevices is how many devices a person can have activated.
	maxDevices = 5
	// maxSurplus is how many activations beyond that are counted before
	// activation is closed.
	maxSurplus = 3
	// An activation password is a number of this length, its last digit a check
	// digit.
	activationDigits = 10
)

// activation is a person's mobile devices: their licence, the activation
// passwords that can be used, the devices.
type activation struct {
	serial            string // of the licence; "" until they ask for a first password
	current, previous activationPassword
	devices           []device
	surplus           int // activations that were tried beyond maxDevices
}

// activationPassword can be used until its end. The zero one is none.
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

// closed reports whether too many activations were tried while every instance of
// the licence was in use.
func (a *activation) closed() bool { return a.surplus > maxSurplus }

// license gives the person a licence, if they have none.
func (a *activation) license() string {
	if a.serial == "" {
		a.serial = "SBX" + digits(7)
	}
	return a.serial
}

// issue makes a new password. The one before keeps its grace at most.
func (a *activation) issue(now time.Time) string {
	a.previous = a.current
	if grace := now.Add(activationGrace); a.previous.end.After(grace) {
		a.previous.end = grace
	}
	number := digits(activationDigits - 1)
	a.current = activationPassword{text: number + string(checkDigit(number)), end: now.Add(activationLifetime)}
	return a.current.text
}

// check judges a password that a device sent (specification, part 7.2, online
// activation).
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

// activate makes a device an instance of the licence and spends the password. It
// does not spend a password where no instance is free.
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
	a.current, a.previous = activationPassword{}, activationPassword{}
	return made, nil
}

// device finds one that was activated; nil if there is none.
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
		digit, _ := rand.Int(rand.Reader, big.NewInt(10)) // It never fails.
		text.WriteString(digit.String())
	}
	return text.String()
}

// wellFormed checks length and check digit, as an app's SDK does without asking.
func wellFormed(password string) bool {
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	if len(password) != activationDigits || strings.TrimFunc(password, isDigit) != "" {
		return false
	}
	return password[activationDigits-1] == checkDigit(password[:activationDigits-1])
}

// checkDigit is Luhn's (ISO/IEC 7812-1, annex B).
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
