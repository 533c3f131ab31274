import AuthenticationServices
import UIKit

struct CreationOptions: Decodable {
    struct RP: Decodable { let id: String }
    struct User: Decodable { let id, name: String }
    let challenge: String, rp: RP, user: User
}
struct RequestOptions: Decodable {
    struct Credential: Decodable { let id: String }
    let challenge: String, rpId: String, allowCredentials: [Credential]
}

/// Shows the system sheet once.
@MainActor final class Sheet: NSObject, ASAuthorizationControllerDelegate, ASAuthorizationControllerPresentationContextProviding {
    private var waiting: CheckedContinuation<ASAuthorizationCredential, Error>?
    private var controller: ASAuthorizationController?               // the system does not retain it

    func show(_ request: ASAuthorizationRequest) async throws -> ASAuthorizationCredential {
        try await withCheckedThrowingContinuation { waiting in
            self.waiting = waiting
            let controller = ASAuthorizationController(authorizationRequests: [request])
            self.controller = controller
            controller.delegate = self
            controller.presentationContextProvider = self
            controller.performRequests()
        }
    }
    func authorizationController(controller: ASAuthorizationController, didCompleteWithAuthorization done: ASAuthorization) {
        waiting?.resume(returning: done.credential)
    }
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: Error) {
        waiting?.resume(throwing: error)
    }
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
        let scene = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.first
        return scene?.keyWindow ?? ASPresentationAnchor()
    }
}

@MainActor final class Passkeys {
    let countersign: Countersign
    init(countersign: Countersign) { self.countersign = countersign }

    func register() async throws {
        let asked = try await countersign.call("/users/me/generate-fido-registration-request", ["fidoProtocol": "FIDO2"])
        let options = try JSONDecoder().decode(CreationOptions.self, from: Data((asked["registrationRequest"] as! String).utf8))
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: options.rp.id)
        let request = provider.createCredentialRegistrationRequest(
            challenge: Data(base64URL: options.challenge)!, name: options.user.name, userID: Data(base64URL: options.user.id)!)
        let made = try await perform(request) as! ASAuthorizationPlatformPublicKeyCredentialRegistration
        try await countersign.call("/users/me/register-fido-device", [
            "fidoProtocol": "FIDO2",
            "registrationResponse": json(id: made.credentialID, [
                "clientDataJSON": made.rawClientDataJSON.base64URL,
                "attestationObject": made.rawAttestationObject!.base64URL,
            ]),
        ])
    }

    /// Signs in. With stepUp the signed-in user confirms, and the session continues under a new token.
    func signIn(_ user: String, stepUp: Bool = false) async throws {
        let asked = try await countersign.call(
            "/users/\(user)/generate-fido-authentication-request", ["fidoProtocol": "FIDO2"], fresh: !stepUp)
        let options = try JSONDecoder().decode(RequestOptions.self, from: Data((asked["authenticationRequest"] as! String).utf8))
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: options.rpId)
        let request = provider.createCredentialAssertionRequest(challenge: Data(base64URL: options.challenge)!)
        request.allowedCredentials = options.allowCredentials.map { .init(credentialID: Data(base64URL: $0.id)!) }
        let signed = try await perform(request) as! ASAuthorizationPlatformPublicKeyCredentialAssertion
        let response = json(id: signed.credentialID, [
            "clientDataJSON": signed.rawClientDataJSON.base64URL,
            "authenticatorData": signed.rawAuthenticatorData.base64URL,
            "signature": signed.signature.base64URL,
            "userHandle": signed.userID.base64URL,
        ])
        try await countersign.call("/users/\(user)/login",
            ["credentials": ["fidoAuthenticator": ["fidoProtocol": "FIDO2", "authenticationResponse": response]]])
    }

    private func perform(_ request: ASAuthorizationRequest) async throws -> ASAuthorizationCredential {
        try await Sheet().show(request)
    }

    private func json(id: Data, _ response: [String: String]) -> String {
        let credential: [String: Any] = ["id": id.base64URL, "rawId": id.base64URL, "type": "public-key", "response": response]
        return String(decoding: try! JSONSerialization.data(withJSONObject: credential), as: UTF8.self)
    }
}
