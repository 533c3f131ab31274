import CryptoKit
import Foundation

/// A DPoP key (RFC 9449) that stays in the Secure Enclave. Check SecureEnclave.isAvailable first.
final class ProofKey {
    var nonce: String?                                               // the newest DPoP-Nonce
    private let key: SecureEnclave.P256.Signing.PrivateKey

    /// kept: the dataRepresentation of an existing key; nil creates one.
    init(kept: Data?) throws {
        key = try kept.map { try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: $0) } ?? SecureEnclave.P256.Signing.PrivateKey()
    }
    var dataRepresentation: Data { key.dataRepresentation }          // store in the Keychain, ThisDeviceOnly

    func proof(_ method: String, _ url: URL, token: String?) throws -> String {
        let point = key.publicKey.rawRepresentation                  // x, y: 32 bytes each
        let header: [String: Any] = ["typ": "dpop+jwt", "alg": "ES256", "jwk": [
            "kty": "EC", "crv": "P-256", "x": point.prefix(32).base64URL, "y": point.suffix(32).base64URL,
        ]]
        var address = URLComponents(url: url, resolvingAgainstBaseURL: true)!
        address.query = nil
        address.fragment = nil
        var said: [String: Any] = [
            "jti": UUID().uuidString, "htm": method, "htu": address.string!, "iat": Int(Date().timeIntervalSince1970),
        ]
        if let token { said["ath"] = Data(SHA256.hash(data: Data(token.utf8))).base64URL }
        if let nonce { said["nonce"] = nonce }
        // sortedKeys keeps the header identical, so that the server parses it once.
        let input = try [header, said].map { try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys).base64URL }.joined(separator: ".")
        return input + "." + (try key.signature(for: Data(input.utf8)).rawRepresentation).base64URL
    }
}
