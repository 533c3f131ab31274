import AuthenticationServices
import UIKit

/// Asks the system once: with a sheet, or among the keyboard's suggestions.
@MainActor final class Prompt: NSObject, ASAuthorizationControllerDelegate, ASAuthorizationControllerPresentationContextProviding {
    private var waiting: CheckedContinuation<ASAuthorizationCredential, Error>?
    private var controller: ASAuthorizationController?               // the system does not retain it

    func show(
        _ request: ASAuthorizationRequest, options: ASAuthorizationController.RequestOptions = []
    ) async throws -> ASAuthorizationCredential {
        try await perform(request) { $0.performRequests(options: options) }
    }

    func suggest(_ request: ASAuthorizationRequest) async throws -> ASAuthorizationCredential {
        try await perform(request) { $0.performAutoFillAssistedRequests() }
    }

    func cancel() { controller?.cancel() }

    private func perform(
        _ request: ASAuthorizationRequest, _ start: (ASAuthorizationController) -> Void
    ) async throws -> ASAuthorizationCredential {
        try await withCheckedThrowingContinuation { waiting in
            self.waiting = waiting
            let controller = ASAuthorizationController(authorizationRequests: [request])
            self.controller = controller
            controller.delegate = self
            controller.presentationContextProvider = self
            start(controller)
        }
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithAuthorization done: ASAuthorization) {
        finish(.success(done.credential))
    }
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: Error) {
        finish(.failure(error))
    }
    private func finish(_ result: Result<ASAuthorizationCredential, Error>) {
        waiting?.resume(with: result)
        waiting = nil
    }

    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
        let scene = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.first
        return scene?.keyWindow ?? ASPresentationAnchor()
    }
}
