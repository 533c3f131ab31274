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
protocol TokenVault: AnyObject { var token: String? { get set } }

@MainActor final class Countersign {
    let base: URL
    let vault: TokenVault
    init(base: URL, vault: TokenVault) { (self.base, self.vault) = (base, vault) }

    func get(_ path: String) async throws -> [String: Any] { try await send("GET", path) }
    func rename(_ id: String, _ name: String) async throws { try await send("PATCH", "/users/me/authenticators/\(id)", ["name": name]) }
    func remove(_ id: String, last: Bool = false) async throws -> [String: Any] {
        try await send("DELETE", "/users/me/authenticators/\(id)" + (last ? "?confirm=last" : ""))
    }
    func signOut() async throws { let sent = vault.token; try await send("DELETE", "/session"); forget(sent) }

    /// Drops the token that was sent, unless a later response has replaced it.
    private func forget(_ sent: String?) { if vault.token == sent { vault.token = nil } }

    @discardableResult func call(_ path: String, _ body: [String: Any], fresh: Bool = false) async throws -> [String: Any] {
        try await send("POST", path, body, fresh: fresh)
    }

    @discardableResult private func send(
        _ method: String, _ path: String, _ body: [String: Any]? = nil, fresh: Bool = false
    ) async throws -> [String: Any] {
        var request = URLRequest(url: URL(string: path, relativeTo: base)!)
        request.httpMethod = method
        if let body {
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let token = fresh ? nil : vault.token
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        else { request.setValue("bearer", forHTTPHeaderField: "Countersign-Session") }
        let (data, response) = try await URLSession.shared.data(for: request)
        let http = response as! HTTPURLResponse
        let answer = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]   // {} for 204 and for HTML
        guard (200...299).contains(http.statusCode) else {
            if answer["key"] as? String == "session.required", let token { forget(token) }
            throw Problem(status: http.statusCode, body: answer, retryAfter: Int(http.value(forHTTPHeaderField: "Retry-After") ?? "") ?? 0)
        }
        if let token = answer["sessionToken"] as? String { vault.token = token }
        return answer
    }
}
