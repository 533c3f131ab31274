import Foundation

@MainActor func usage(vault: TokenVault, keptKey: Data?) async throws {
    let key = try ProofKey(kept: keptKey)
    let countersign = Countersign(base: URL(string: "https://countersign.example/")!, vault: vault, key: key)
    let passkeys = Passkeys(countersign: countersign)
    try await passkeys.signIn("alice@example")
    try await passkeys.register()                       // signed in, sign-in not older than 10 minutes
    let packages = try await countersign.get("/api/packages?mine=to-sign")
    try await countersign.signOut()

    try await countersign.signIn("bob@example", password: "…")
    await passkeys.registerByItself()
}
