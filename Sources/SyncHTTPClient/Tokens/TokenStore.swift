import SyncCore

/// Provides the token of requests. If the server refuses it, renews it once for all waiting requests.
///
/// An account whose last token was refused is paused: nothing is sent until the source provides another token.
package actor TokenStore {
    private let source: any CredentialSource
    /// Tokens that the server refused, oldest first, up to the present one if it was refused too.
    private var refused: [String] = []
    /// The token that replaced the refused ones; nil if there is none.
    private var replacement: String?
    private var renewal: Renewal?
    private var lastID = 0

    /// A renewal in progress, and its waiting requests.
    private struct Renewal {
        var id: Int
        var task: Task<Void, Never>
        var waiters: [Int: CheckedContinuation<String, any Error>] = [:]
    }

    private static let maxRefused = 16

    /// Wraps a source.
    package init(_ source: any CredentialSource) {
        self.source = source
    }

    /// Whether the account is paused: the server refused the last token, and there is no other.
    package var isPaused: Bool { !refused.isEmpty && replacement == nil }

    /// Resumes the account. Refused tokens may be sent once more.
    package func resume() {
        refused = []
        replacement = nil
    }

    /// The token to send. Throws `SyncError` `notPermitted` if the account is paused or there is no token.
    func token() async throws -> String {
        let given = try await source.token()
        guard Self.isToken(given) else { throw SyncError.noToken() }
        guard refused.contains(given) else {
            if !refused.isEmpty { replacement = given }
            return given
        }
        guard let replacement else { throw SyncError.tokenRefused() }
        return replacement
    }

    /// A token to replace a refused one. All requests with the same token wait for one renewal. Throws
    /// `SyncError` `notPermitted` if there is no other token, and errors of the source.
    func replacement(for token: String) async throws -> String {
        if refused.contains(token) {
            guard let replacement else { throw SyncError.tokenRefused() }
            return replacement
        }
        let id = newID()
        let other = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(for: token, id: id, waiter: continuation)
            }
        } onCancel: {
            Task { await self.leave(id) }
        }
        // The renewal that was under way was that of an earlier token, and gave this one.
        return other == token ? try await replacement(for: token) : other
    }

    /// Pauses the account after the server refused a renewed token.
    func pause(_ token: String) {
        refuse(token)
        if replacement == token { replacement = nil }
    }

    private func wait(for token: String, id: Int, waiter: CheckedContinuation<String, any Error>) {
        guard !Task.isCancelled else { return waiter.resume(throwing: CancellationError()) }
        if renewal == nil {
            let id = newID()
            let task = Task {
                let result: Result<String?, any Error>
                do { result = .success(try await source.refresh(refused: token)) } catch {
                    result = .failure(error)
                }
                finish(id, result: result, for: token)
            }
            renewal = Renewal(id: id, task: task)
        }
        renewal?.waiters[id] = waiter
    }

    /// Removes a cancelled waiter. The renewal continues for the others and is cancelled with the last of them.
    private func leave(_ id: Int) {
        guard let waiter = renewal?.waiters.removeValue(forKey: id) else { return }
        waiter.resume(throwing: CancellationError())
        if let renewal, renewal.waiters.isEmpty {
            renewal.task.cancel()
            self.renewal = nil
        }
    }

    private func finish(_ id: Int, result: Result<String?, any Error>, for token: String) {
        guard let ended = renewal, ended.id == id else { return }
        renewal = nil
        let answer: Result<String, any Error>
        switch result {
        case .failure(let error): answer = .failure(error)
        case .success(let other):
            refuse(token)
            if let other, !refused.contains(other), Self.isToken(other) {
                replacement = other
                answer = .success(other)
            } else {
                replacement = nil
                answer = .failure(SyncError.tokenRefused())
            }
        }
        for (_, waiter) in ended.waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(with: answer) }
    }

    private func newID() -> Int {
        lastID += 1
        return lastID
    }

    private func refuse(_ token: String) {
        guard !refused.contains(token) else { return }
        refused.append(token)
        if refused.count > Self.maxRefused { refused.removeFirst() }
    }

    /// Whether the token is visible ASCII only, so that it cannot inject a header field.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }
}
