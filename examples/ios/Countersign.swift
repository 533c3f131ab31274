import Foundation

extension Data {
    init?(base64URL text: String) {
        let base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        self.init(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))
    }
    var base64URL: String {
        base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
}

/// A refusal. body has title, detail, key, action and instance; it is empty for the HTML page of a proxy.
struct Problem: Error {
    let status: Int
    let body: [String: Any]
    let retryAfter: Int
    func text(_ name: String) -> String { body[name] as? String ?? "" }
    var retryable: Bool { body["retryable"] as? Bool ?? (502...504).contains(status) }
}

/// Stores the session token in the Keychain.
protocol TokenVault: AnyObject {
    var token: String? { get set }
}

/// With a key, each session is bound to it: a copied token is useless without the device.
@MainActor final class Countersign {
    let base: URL
    let vault: TokenVault
    let key: ProofKey?
    init(base: URL, vault: TokenVault, key: ProofKey? = nil) { (self.base, self.vault, self.key) = (base, vault, key) }

    func get(_ path: String) async throws -> [String: Any] { try await send("GET", path) }
    func rename(_ id: String, _ name: String) async throws { try await send("PATCH", "/users/me/authenticators/\(id)", ["name": name]) }
    func remove(_ id: String, last: Bool = false) async throws -> [String: Any] {
        try await send("DELETE", "/users/me/authenticators/\(id)" + (last ? "?confirm=last" : ""))
    }
    func signOut() async throws { let sent = vault.token; try await send("DELETE", "/session"); forget(sent) }

    /// Drops the token that was sent, unless a later response has replaced it.
    private func forget(_ sent: String?) { if vault.token == sent { vault.token = nil } }

    func signIn(_ user: String, password: String) async throws {
        try await call("/users/\(user)/login", ["credentials": ["passKey": password]], fresh: true)
    }

    /// fresh: sends no token, so that the call starts a sign-in and not a step-up.
    /// conditional: the user did not ask for the passkey that the call creates.
    @discardableResult func call(
        _ path: String, _ body: [String: Any], fresh: Bool = false, conditional: Bool = false
    ) async throws -> [String: Any] {
        try await send("POST", path, body, fresh: fresh, conditional: conditional)
    }

    @discardableResult private func send(
        _ method: String, _ path: String, _ body: [String: Any]? = nil, fresh: Bool = false, conditional: Bool = false
    ) async throws -> [String: Any] {
        let token = fresh ? nil : vault.token
        var request = URLRequest(url: URL(string: path, relativeTo: base)!.absoluteURL)
        request.httpMethod = method
        if let body {
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        if let token { request.setValue((key == nil ? "Bearer " : "DPoP ") + token, forHTTPHeaderField: "Authorization") }
        else { request.setValue("bearer", forHTTPHeaderField: "Countersign-Session") }
        if conditional { request.setValue("create", forHTTPHeaderField: "Countersign-Conditional") }
        var (data, http) = try await exchange(request, token)
        if http.statusCode == 401, http.value(forHTTPHeaderField: "WWW-Authenticate")?.contains("use_dpop_nonce") == true {
            (data, http) = try await exchange(request, token)
        }
        let answer = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]   // {} for 204 and for HTML
        guard (200...299).contains(http.statusCode) else {
            if answer["key"] as? String == "session.required", let token { forget(token) }
            throw Problem(status: http.statusCode, body: answer, retryAfter: Int(http.value(forHTTPHeaderField: "Retry-After") ?? "") ?? 0)
        }
        if let token = answer["sessionToken"] as? String { vault.token = token }
        return answer
    }

    /// Sends the request with a new proof, and keeps the nonce for the next request.
    private func exchange(_ request: URLRequest, _ token: String?) async throws -> (Data, HTTPURLResponse) {
        var request = request
        if let key {
            request.setValue(try key.proof(request.httpMethod!, request.url!, token: token), forHTTPHeaderField: "DPoP")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let http = response as! HTTPURLResponse
        if let nonce = http.value(forHTTPHeaderField: "DPoP-Nonce") { key?.nonce = nonce }
        return (data, http)
    }
}
