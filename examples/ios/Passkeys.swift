import AuthenticationServices

struct CreationOptions: Decodable {
    struct RP: Decodable { let id: String }
    struct User: Decodable { let id, name: String }
    struct Credential: Decodable { let id: String }
    let challenge: String, rp: RP, user: User, excludeCredentials: [Credential]?
}
struct AcceptedPasskeys: Decodable {
    let rpId: String, userId: String?, name: String?, allAcceptedCredentialIds: [String]?
}
struct RequestOptions: Decodable {
    struct Credential: Decodable { let id: String }
    let challenge: String, rpId: String, allowCredentials: [Credential]
}

@MainActor final class Passkeys {
    private let countersign: Countersign
    private var suggesting: Prompt?
    init(countersign: Countersign) { self.countersign = countersign }

    /// Registers a passkey. The user must have signed in within the last 10 minutes.
    func register() async throws {
        let asked = try await countersign.call("/users/me/generate-fido-registration-request", ["fidoProtocol": "FIDO2"])
        try await register(creation(asked, conditional: false))
    }

    /// Call it after a sign-in by password. The password manager may add a passkey; the user sees no dialog and no error.
    func registerByItself() async {
        let wanted: [String: Any] = ["fidoProtocol": "FIDO2", "attestation": "none",
            "authenticatorSelection": ["userVerification": "preferred", "requireResidentKey": true] as [String: Any]]
        do {
            let asked = try await countersign.call("/users/me/generate-fido-registration-request", wanted, conditional: true)
            try await register(creation(asked, conditional: true))
        } catch {}
    }

    private func creation(_ asked: [String: Any], conditional: Bool) throws -> ASAuthorizationRequest {
        let options = try JSONDecoder().decode(CreationOptions.self, from: Data((asked["registrationRequest"] as! String).utf8))
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: options.rp.id)
        let request = provider.createCredentialRegistrationRequest(
            challenge: Data(base64URL: options.challenge)!, name: options.user.name, userID: Data(base64URL: options.user.id)!,
            requestStyle: conditional ? .conditional : .standard)
        request.excludedCredentials = (options.excludeCredentials ?? []).map { .init(credentialID: Data(base64URL: $0.id)!) }
        return request
    }

    private func register(_ request: ASAuthorizationRequest) async throws {
        let made = try await Prompt().show(request) as! ASAuthorizationPlatformPublicKeyCredentialRegistration
        try await countersign.call("/users/me/register-fido-device", [
            "fidoProtocol": "FIDO2",
            "registrationResponse": json(id: made.credentialID, [
                "clientDataJSON": made.rawClientDataJSON.base64URL,
                "attestationObject": made.rawAttestationObject!.base64URL,
            ]),
        ])
        await signal()
    }

    /// Signs in. With stepUp the signed-in user confirms, and the session continues under a new token.
    func signIn(_ user: String, stepUp: Bool = false) async throws {
        let request = try await assertion(user, stepUp: stepUp)
        suggesting?.cancel()                                         // the system has one prompt at a time
        try await answer(user, Prompt().show(request, options: .preferImmediatelyAvailableCredentials))
    }

    /// Lets the keyboard offer the user's passkeys in a field whose textContentType is .username or .password.
    func suggest(_ user: String) async throws {
        let prompt = Prompt()
        suggesting = prompt
        try await answer(user, prompt.suggest(assertion(user, stepUp: false)))
    }

    private func assertion(_ user: String, stepUp: Bool) async throws -> ASAuthorizationRequest {
        let asked = try await countersign.call(
            "/users/\(user)/generate-fido-authentication-request", ["fidoProtocol": "FIDO2"], fresh: !stepUp)
        let options = try JSONDecoder().decode(RequestOptions.self, from: Data((asked["authenticationRequest"] as! String).utf8))
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: options.rpId)
        let request = provider.createCredentialAssertionRequest(challenge: Data(base64URL: options.challenge)!)
        request.allowedCredentials = options.allowCredentials.map { .init(credentialID: Data(base64URL: $0.id)!) }
        return request
    }

    private func answer(_ user: String, _ chosen: ASAuthorizationCredential) async throws {
        let signed = chosen as! ASAuthorizationPlatformPublicKeyCredentialAssertion
        let response = json(id: signed.credentialID, [
            "clientDataJSON": signed.rawClientDataJSON.base64URL,
            "authenticatorData": signed.rawAuthenticatorData.base64URL,
            "signature": signed.signature.base64URL,
            "userHandle": signed.userID.base64URL,
        ])
        try await countersign.call("/users/\(user)/login",
            ["credentials": ["fidoAuthenticator": ["fidoProtocol": "FIDO2", "authenticationResponse": response]]])
        await signal()
    }

    /// Tells the password manager which passkeys are accepted. Call it also after one was removed.
    func signal() async {
        guard #available(iOS 26.2, *), let told = try? await countersign.get("/users/me/accepted-passkeys"),
              let data = try? JSONSerialization.data(withJSONObject: told),
              let known = try? JSONDecoder().decode(AcceptedPasskeys.self, from: data),
              let user = known.userId.flatMap(Data.init(base64URL:)) else { return }   // no passkey was used yet
        let manager = ASCredentialDataManager()
        if let ids = known.allAcceptedCredentialIds {
            try? await manager.reportAllAcceptedPublicKeyCredentials(
                relyingPartyIdentifier: known.rpId, userHandle: user, acceptedCredentialIDs: ids.compactMap(Data.init(base64URL:)))
        }
        if let name = known.name {
            try? await manager.reportPublicKeyCredentialUpdate(relyingPartyIdentifier: known.rpId, userHandle: user, newName: name)
        }
    }

    private func json(id: Data, _ response: [String: String]) -> String {
        let credential: [String: Any] = ["id": id.base64URL, "rawId": id.base64URL, "type": "public-key", "response": response]
        return String(decoding: try! JSONSerialization.data(withJSONObject: credential), as: UTF8.self)
    }
}
