import EntitySync
import Foundation
import SyncHTTPClient

/// The token from a file, or from the environment variable `SYNCCHECK_TOKEN`.
struct TokenInput: CredentialSource {
    /// The file, if one is given.
    let file: String?
    /// The token in the environment, if there is one.
    let environment: String?

    /// The environment variable that holds a token.
    static let variable = "SYNCCHECK_TOKEN"
    /// More bytes than any token has.
    private static let maxBytes = 64 * 1024

    init(file: String?) {
        self.file = file
        environment = ProcessInfo.processInfo.environment[Self.variable]
    }

    func token() throws -> String {
        let text = try file.map(Self.read) ?? environment ?? ""
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else { throw SyncError.noToken() }
        guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { throw SyncError.malformedToken() }
        return token
    }

    /// Reads the file again, because its token may have changed.
    func refresh(refused: String) throws -> String? {
        let token = try token()
        return token == refused ? nil : token
    }

    private static func read(path: String) throws -> String {
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? handle.close() }
            return String(decoding: try handle.read(upToCount: maxBytes) ?? Data(), as: UTF8.self)
        } catch {
            throw SyncError.unreadableTokenFile()
        }
    }
}
