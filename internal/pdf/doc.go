// Package pdf reads and writes PDF documents for the sandbox and the portal.
package pdf
