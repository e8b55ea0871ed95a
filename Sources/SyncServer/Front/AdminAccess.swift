import Foundation
import SyncWire

/// Lets an operator see the server's page: who has the token sees it, and nobody else.
public struct AdminAccess: Sendable {
    /// The shortest token.
    public static let minTokenBytes = 16

    private let digest: [UInt8]
    let page: @Sendable (_ isDraining: Bool) async throws -> [UInt8]

    /// Makes the access.
    ///
    /// - Parameters:
    ///   - token: The operator's token. Only its digest is kept.
    ///   - page: Makes the page's HTML; told whether the server is about to stop.
    public init?(token: String, page: @escaping @Sendable (_ isDraining: Bool) async throws -> [UInt8]) {
        guard token.utf8.count >= Self.minTokenBytes else { return nil }
        digest = SHA256.digest(bytes: Array(token.utf8))
        self.page = page
    }

    /// Whether a request has the token: as a bearer token, or as the password that a browser asks for.
    func permits(_ request: ServerRequest) -> Bool {
        let fields = request.headers(named: "authorization")
        guard fields.count == 1, fields[0].utf8.count <= 2048 else { return false }
        let parts = fields[0].split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2 else { return false }
        switch parts[0].lowercased() {
        case "bearer": return matches(Array(parts[1].utf8))
        case "basic":
            guard let bytes = Self.decoded(base64: parts[1]), let colon = bytes.firstIndex(of: 0x3a) else {
                return false
            }
            return matches(Array(bytes[(colon + 1)...]))
        default: return false
        }
    }

    /// Compares digests, in a time that does not depend on where they differ.
    private func matches(_ token: [UInt8]) -> Bool {
        let other = SHA256.digest(bytes: token)
        return zip(digest, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func decoded(base64: Substring) -> [UInt8]? {
        Data(base64Encoded: String(base64)).map(Array.init)
    }
}

extension WireError {
    /// The operator's token is missing or wrong.
    static let notTheOperator = WireError(
        code: .unauthorized,
        detail: "Give the operator's token, as the password of any name."
    )
}
