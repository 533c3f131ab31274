package browser_test

import (
	"strings"
	"time"

	"countersign/internal/e2e/e2etest"
)

// scene is a state of a page, and the step to it from the previous one.
type scene struct {
	name   string
	arrive func()
}

func scenesOfSigningIn(b *tab) []scene {
	return []scene{
		{"start", func() { b.open("/"); b.there("link", "Sign in") }},
		{"sign-in", func() { b.open("/login"); b.there("button", "Continue") }},
		{"sign-in no name", func() {
			b.fill("User name", "alice")
			b.click("button", "Continue")
			b.says("alert", "A user name looks like name@domain.")
		}},
		{"sign-in known", func() { b.present(false); b.name("alice@sandbox"); b.there("button", "Sign in with a passkey") }},
		{"sign-in refused", func() {
			b.fill("Password", "not it")
			b.click("button", "Sign in with your password")
			b.says("alert", "These details do not let you sign in.")
			b.there("button", "Sign in with a passkey")
		}},
		{"sign-in remembered", func() {
			b.open("/login")
			b.click("checkbox", "Remember me on this device")
			b.name("alice@sandbox")
			b.there("button", "Sign in with a passkey")
		}},
		{"start signed in", func() {
			b.fill("Password", "Sandbox-1!")
			b.click("button", "Sign in with your password")
			b.there("link", "Manage your passkeys")
		}},
	}
}

// endless is the longest name, without a place to break it.
var endless = strings.Repeat("W", 64)

func scenesOfPasskeys(b *tab, clock *e2etest.Clock) []scene {
	open := func(path string) { b.open(path); b.there("button", b.adding()) }
	return []scene{
		{"passkeys none", func() { open("/authenticators") }},
		{"passkeys waiting", func() { b.click("button", b.adding()); b.says("status", "Follow the instructions") }},
		{"passkeys stalled", func() { b.pass(15 * time.Second); b.there("button", "Try the passkey again") }},
		{"passkeys added", func() {
			b.present(true)
			b.click("button", "Try the passkey again")
			b.there("heading", "Your passkey is ready")
			b.there("button", b.adding())
			b.present(false)
		}},
		{"passkeys", func() {
			b.fill("Name of the new passkey", "My phone")
			b.click("button", "Save name")
			b.there("heading", "My phone")
			b.there("button", b.adding())
		}},
		{"passkeys rename", func() { b.click("button", "Rename My phone"); b.there("textbox", "Name") }},
		{"passkeys long name", func() {
			b.fill("Name", endless)
			b.click("button", "Save name")
			b.there("heading", endless)
			b.there("button", b.adding())
		}},
		{"passkeys rename refused", func() {
			b.click("button", "Rename "+endless)
			b.fill("Name", "  ")
			b.click("button", "Save name")
			b.says("alert", "A name has 1 to 64 characters")
		}},
		{"passkeys remove", func() {
			open("/authenticators")
			b.click("button", "Remove "+endless)
			b.there("link", "Go back")
		}},
		{"passkeys old sign-in", func() {
			clock.Advance(11 * time.Minute)
			b.open("/authenticators")
			b.there("link", "Sign in again")
		}},
		{"sign-in again", func() { b.click("link", "Sign in again"); b.there("button", "Sign in with a passkey") }},
		{"sign-in waiting", func() { b.click("button", "Sign in with a passkey"); b.says("status", "Follow the instructions") }},
		{"sign-in stalled", func() { b.pass(15 * time.Second); b.there("button", "Use your password instead") }},
	}
}

func scenesOfTheRest(b *tab) []scene {
	return []scene{
		{"account old sign-in", func() { b.open("/account"); b.there("link", "Sign in again") }},
		{"account", func() {
			b.click("link", "Sign in again")
			b.fill("Password", "Sandbox-1!")
			b.click("button", "Sign in with your password")
			b.there("button", "Get an activation password")
		}},
		{"account activation password", func() {
			b.click("button", "Get an activation password")
			b.there("heading", "Your activation password")
		}},
		{"account changed", func() { b.click("button", "Save language"); b.says("status", "Your language is saved.") }},
		{"platform away", func() {
			e2etest.Manage(b.t, b.app, "POST", "/faults", map[string]any{"operation": "listFidoRegistrations", "times": 0, "status": 503})
			b.open("/authenticators")
			b.there("link", "Try again")
		}},
		{"not found", func() { b.open("/nothing/here"); b.there("heading", "Not found") }},
		{"error explained", func() { b.open("/errors/ceremony.spent"); b.there("heading", "Already used") }},
		{"without JavaScript", func() {
			b.open("/account")
			b.signOut()
			b.withoutScripts()
			b.open("/login")
			b.there("button", "Sign in with your password")
		}},
	}
}
