import Foundation
import ProgramRuns
import Testing

/// All sources compile for Apple's platforms, as far as declarations of their frameworks tell on Linux. Nothing is run.
@Suite(.timeLimit(.minutes(30))) struct TypeCheckTests {
    /// What apps link.
    private static let rooms = [
        "SyncModel", "SyncCore", "SyncRuntime", "SyncSchedule", "SyncAccounts", "SyncSQLite", "SyncStore",
        "SyncWire", "SyncFiles", "SyncFileBackend", "SyncHTTPClient", "SyncServerBackend",
        "SyncSupabaseBackend", "SyncVersion", "EntitySync", "EntitySyncFolder", "EntitySyncServer",
        "EntitySyncSupabase", "SyncUI",
    ]
    /// What runs on a Mac only.
    private static let tools = [
        "SyncServer", "SyncPostgresServer", "SyncChecks", "SyncSchema", "synccheck", "synccodegen",
        "syncserver",
    ]

    /// The versions of the manifest have the same standard library, so whole modules are checked for one platform, and
    /// what is conditional for each.
    @Test(arguments: ApplePlatform.all)
    func theSourcesCompileAndWhatThePlatformHasNotIsRefused(platform: ApplePlatform) throws {
        let sdk = try AppleSDK(platform)
        var conditional = 0
        for room in Self.rooms + (platform.name == "macOS" ? Self.tools : []) {
            let files = Checkout.files(module: room)
            let chosen = platform.name == "iOS" ? files : files.filter(Self.isConditional)
            guard !chosen.isEmpty else { continue }
            conditional += chosen.filter(Self.isConditional).count
            let run = try sdk.check(
                chosen,
                of: room,
                beside: files.filter { !chosen.contains($0) },
                flags: Self.foundation(files) + Self.flags(room: room)
            )
            #expect(run.exitCode == 0 && Self.warnings(of: run).isEmpty, "\(platform.name): \(run.error)")
        }
        #expect(conditional > 20, "conditional code was found")
        try Self.expectRefusals(sdk: sdk)
    }

    /// Each condition is taken as the platform takes it, and what is too new for its version is refused.
    private static func expectRefusals(sdk: AppleSDK) throws {
        let platform = sdk.platform
        let text = """
            import Foundation
            import Synchronization
            #if os(\(platform.name)) && canImport(Darwin) && !canImport(Glibc) && !canImport(FoundationNetworking)
                import Darwin
                let taken: Int = ""
            #endif
            #if canImport(BackgroundTasks) && canImport(UIKit)
                let apps: Int = ""
            #endif
            let tooNew = Mutex(1)
            let linux = O_TMPFILE
            let apple = F_FULLFSYNC
            """
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "refused-\(UUID().uuidString).swift"
        )
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        let run = try sdk.check([file], of: "Refused", flags: foundation([]))
        let lines = run.error.matches(of: /\.swift:(?<line>\d+):\d+: error:/).compactMap {
            Int($0.output.line)
        }
        let apps = platform.frameworks.contains("BackgroundTasks") ? [8] : []
        #expect(Set(lines) == Set([5, 10, 11] + apps), "\(run.error)")
        #expect(run.error.contains("'Mutex' is only available in \(platform.name)"))
    }

    private static func isConditional(_ file: URL) -> Bool {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return false }
        return text.contains("#if ")
    }

    /// No app may call what its extensions may not, but where the declaration says so.
    private static func flags(room: String) -> [String] {
        guard tools.contains(room) else { return ["-application-extension"] }
        #if Server
            // The programs import packages with C modules, which are not here, where they host a server.
            if room == "SyncPostgresServer" { return ["-D", "Server"] }
        #endif
        return []
    }

    /// On Apple's platforms, Foundation has what other systems have in modules of their own.
    private static func foundation(_ files: [URL]) -> [String] {
        let imports = files.contains { file in
            (try? String(contentsOf: file, encoding: .utf8))?.contains("import Foundation") == true
        }
        return imports || files.isEmpty ? ["-import-module", "AppleFoundation"] : []
    }

    /// Warnings, without those that only come of Foundation being imported twice here.
    private static func warnings(of run: Run) -> [String] {
        run.errorLines.filter {
            $0.contains(": warning:") && !$0.contains("import of 'Foundation' was not used")
        }
    }
}
