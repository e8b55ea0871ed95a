import ArgumentParser
import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncHTTPClient

/// `conformance`: runs the backend test suite against a live remote.
struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Run the backend suite against a live remote, in a scratch namespace.",
        discussion: """
            A server is asked for scratch logs of the token's account, a folder gets a scratch folder inside; both are \
            removed at the end, and records that are there already are not touched. A line per guarantee says whether \
            it held; exit code 1 when one did not.
            """
    )

    @Option(
        help: ArgumentHelp("A shared folder (path or file URL) or a server (URL).", valueName: "dir|url"),
        completion: .directory
    )
    var remote: String

    @OptionGroup var server: ServerOptions

    @OptionGroup var schemas: SchemaOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let workspace = try Workspace(schemaPaths: [schemas.schemas], storePath: "")
        let isJSON = json
        let subject: any BackendSubject
        var scratch: String?
        defer { if let scratch { try? FileManager.default.removeItem(atPath: scratch) } }
        let remote = try RemoteArgument(remote, allowsPlainHTTP: server.allowPlainHTTP)
        let environment = try server.environment(workspace: workspace, remote: remote)
        switch remote {
        case .server(let url):
            subject = try await serverSubject(url: url, workspace: workspace, environment: environment)
        case .supabase: throw SyncError.noScratchAccounts()
        case .folder(let path):
            scratch = try Self.makeScratch(in: path, random: workspace.random)
            subject = FolderSubject(path: scratch ?? path, entities: workspace.entities)
        }
        let results = await BackendSuite.run(subject: subject) { result in
            guard !isJSON else { return }
            StandardStreams.write("\(result)\n", to: .output)
        }
        if json { try Printer.print { try $0.json { Self.write(results, to: &$0) } } }
        let failures = results.count(where: \.isFailure)
        if !json { StandardStreams.write(Self.summary(results: results), to: .output) }
        if failures > 0 { throw ExitCode.findings }
    }

    /// Makes one request first, so that a wrong URL or token is reported once and not for each check.
    private func serverSubject(
        url: ServerURL,
        workspace: Workspace,
        environment: HTTPEnvironment
    ) async throws -> any BackendSubject {
        let subject = ServerSubject(
            url: url,
            credentials: TokenInput(file: server.tokenFile),
            entities: workspace.entities,
            environment: environment
        )
        let remote = try await subject.makeRemote()
        let device = DeviceID(bits: workspace.random.next())
        let session = try await remote.backend(for: device).open(
            SessionRequest(
                device: device,
                label: "conformance",
                entities: workspace.entities,
                binding: nil,
                cursor: nil,
                intent: nil
            )
        )
        let diagnostics = try await session.fetch()?.diagnostics ?? []
        try await remote.dispose()
        for diagnostic in diagnostics { StandardStreams.write(diagnostic.warning, to: .error) }
        return subject
    }

    private static func makeScratch(in path: String, random: any RandomSource) throws -> String {
        guard try PathKind(path) == .folder else { throw SyncError.noFolder() }
        let scratch = "\(path)/.synccheck-conformance-\(DeviceID(bits: random.next()))"
        do {
            try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: false)
        } catch {
            throw SyncError.notPermitted(what: "Making a scratch folder in the remote folder")
        }
        return scratch
    }

    private static func summary(results: [CheckResult]) -> String {
        let failures = results.count(where: \.isFailure)
        let left = results.count { if case .notApplicable = $0.outcome { true } else { false } }
        let held = results.count - failures - left
        return "\(held) held, \(failures) failed, \(left) not applicable\n"
    }

    /// `{"conforms":B,"checks":[{"id","guarantee","outcome":"passed|failed|not-applicable","why"}]}`.
    private static func write(_ results: [CheckResult], to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("conforms")
        writer.boolean(!results.contains(where: \.isFailure))
        writer.name("checks")
        writer.beginArray()
        for result in results {
            writer.beginObject()
            writer.member(name: "id", text: result.check.id)
            writer.member(name: "guarantee", text: result.check.guarantee)
            switch result.outcome {
            case .passed: writer.member(name: "outcome", text: "passed")
            case .failed(let why):
                writer.member(name: "outcome", text: "failed")
                writer.member(name: "why", text: why)
            case .notApplicable(let why):
                writer.member(name: "outcome", text: "not-applicable")
                writer.member(name: "why", text: why)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
