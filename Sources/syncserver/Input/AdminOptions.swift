import ArgumentParser
import Foundation
import SyncCore
import SyncServer

/// The options for an operator: the page, and the socket.
struct AdminOptions: ParsableArguments {
    /// The environment variable that names the file with the operator's token.
    static let variable = "SYNCSERVER_ADMIN_TOKEN_FILE"

    @Option(
        help: ArgumentHelp(
            "The file with the operator's token, which opens '/admin'; or set \(Self.variable).",
            valueName: "file"
        )
    )
    var adminTokenFile: String?

    @Option(
        help: ArgumentHelp("A Unix socket for 'syncserver admin', made with mode 0600.", valueName: "path")
    )
    var adminSocket: String?

    /// The operator's token; nil if there is none. Throws `SyncError` if its file cannot be used.
    func token() throws -> String? {
        let path = adminTokenFile ?? ProcessInfo.processInfo.environment[Self.variable]
        guard let path, !path.isEmpty else { return nil }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            guard FilePermissions.isDenied(path: path) || FileManager.default.fileExists(atPath: path) else {
                throw SyncError.noAdminTokenFile
            }
            throw SyncError.notPermitted(what: "Reading the file with the operator's token")
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.utf8.count >= AdminAccess.minTokenBytes,
            token.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw SyncError.badAdminToken }
        return token
    }
}
