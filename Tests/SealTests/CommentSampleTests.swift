import Foundation
import Testing

/// What people copy from a `///` comment compiles in their app.
@Suite struct CommentSampleTests {
    private static let modules = [
        "EntitySync", "EntitySyncFolder", "EntitySyncServer", "Foundation", "SyncChecks", "SyncCore",
        "SyncEntities",
        "SyncSchema", "SyncServerBackend", "SyncUI",
    ]

    /// What samples take for granted.
    private static let beginning = """
        /// As on Apple's platforms.
        extension String { init(localized text: String) { self = text } }

        struct Keychain: Sendable { func token(of account: AccountID) throws -> String { "" } }

        func show(_ value: Any) {}

        @MainActor func samples(
            space: SyncSpace, accounts: SyncAccounts, backend: HTTPBackend, bookmark: Bookmark, account: AccountID,
            keychain: Keychain, folder: String, shared: String, bytes: [UInt8], body: [UInt8],
            subject: any BackendSubject, field: ConflictField
        ) async throws {
            var configuration = SpaceConfiguration(folder: folder, entities: [Bookmark.self])
            var alert: SyncError?

        """

    @Test func everySampleOfACommentCompiles() throws {
        let samples = try Self.samples()
        #expect(samples.count > 10)
        var program = Self.modules.map { "import \($0)\n" }.joined() + Self.beginning
        for sample in samples { program += "do {\n" + sample.text + "\n}\n" }
        let errors = try AppProgram.errors(of: program + "_ = (configuration, alert) }")
        #expect(errors.isEmpty, "\(errors.joined(separator: "\n"))\n\(program)")
    }

    private static func samples() throws -> [(place: String, text: String)] {
        // The bridge to another library is a package of its own, whose tests run its samples.
        let sources = AppProgram.root.appendingPathComponent("Sources")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        var samples: [(place: String, text: String)] = []
        for path in paths.sorted() where path.hasSuffix(".swift") && !path.hasPrefix("SyncGRDB/") {
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            var open: [String]?
            for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
                if line == "/// ```swift" {
                    open = []
                } else if line == "/// ```" {
                    if let lines = open { samples.append((path, lines.joined(separator: "\n"))) }
                    open = nil
                } else {
                    open?.append(String(line.dropFirst(4)))
                }
            }
        }
        return samples
    }
}
