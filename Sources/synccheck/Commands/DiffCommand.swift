import ArgumentParser
import EntitySync
import Foundation
import SyncPostgres
import SyncSchema

/// `diff`: reports how newer schemas affect stores, older apps and merges.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Find breaking changes between two versions of the schemas.",
        discussion: """
            Compares two folders, or a folder with a baseline of all schemas of a release. Exit code 1 if there is a \
            breaking change that '\(ChangeIgnores.fileName)' in the newer folder does not ignore with a reason.
            """
    )

    @Argument(
        help: ArgumentHelp("OLD and NEW schema folders; NEW alone with a baseline.", valueName: "path"),
        completion: .directory
    )
    var paths: [String] = []

    @Option(
        help: ArgumentHelp("Compare NEW with the schemas in this file.", valueName: "file"),
        completion: .file()
    )
    var baseline: String?

    @Option(
        help: ArgumentHelp("Write the schemas of NEW to this file; compare nothing.", valueName: "file"),
        completion: .file()
    )
    var writeBaseline: String?

    @Option(
        help: ArgumentHelp(
            "Show what tables need, too: 'postgres'. 'generate --sql postgres --from' writes all of it.",
            valueName: "database"
        )
    )
    var sql: GenerateCommand.Database?

    @Option(help: "text, json or github (workflow commands).")
    var format = OutputFormat.text

    @Flag(help: "The same as '--format json'.")
    var json = false

    func validate() throws {
        try PathOption.check(writeBaseline, name: "--write-baseline")
        if baseline != nil, writeBaseline != nil {
            throw ValidationError("'--baseline' and '--write-baseline' exclude each other.")
        }
        let count = baseline == nil && writeBaseline == nil ? 2 : 1
        if paths.count != count {
            throw ValidationError(count == 2 ? "Name two folders, OLD and NEW." : "Name one folder, NEW.")
        }
    }

    func run() throws {
        let newer = paths[paths.count - 1]
        if paths.count == 2, Self.isSame(left: paths[0], other: newer) {
            StandardStreams.write(
                "warning: OLD and NEW are the same folder, so nothing can differ.\n",
                to: .error
            )
        }
        if let writeBaseline { return try write(newer, to: writeBaseline) }
        let old = try baseline.map(SchemaFiles.schemas(baseline:)) ?? SchemaFiles.schemas(folder: paths[0])
        let ignores = try Self.ignores(folder: newer)
        let new = try SchemaFiles.schemas(folder: newer)
        let changes = SchemaDiff.compare(old: old, new: new)
        let report = ChangeReport(changes: ignores.apply(to: changes))
        let statements = try sql.map { _ in
            try SyncError.cataloguing { try Self.statements(new: new, old: old) }
        }
        let format = json ? .json : format
        try Printer.print { printer in
            try printer.text(text: report.rendered(format: format.format))
            if format == .text { try printer.line(text: Self.summary(report: report)) }
            if format == .text, let statements {
                try printer.text(text: statements.isEmpty ? "No SQL is needed.\n" : "\n" + statements)
            }
        }
        if !report.isCompatible { throw ExitCode.findings }
    }

    private func write(_ folder: String, to path: String) throws {
        let sources = try SchemaFiles.sources(folder: folder)
        _ = try SchemaFiles.sound(report: SchemaLoader.load(sources))
        guard let bytes = SchemaBaseline.write(sources) else { throw SyncError.brokenSchemas(errors: 1) }
        try ReportFile(path, kind: .baseline).write(bytes)
        let count = sources.count.counting(noun: "schema")
        try Printer.print { printer in
            if json || format == .json {
                try printer.json { writer in
                    writer.beginObject()
                    writer.member(name: "schemas", count: sources.count)
                    writer.endObject()
                }
            } else {
                try printer.line(text: "\(count) written to \(path.visible).")
            }
        }
    }

    private static func isSame(left lhs: String, other: String) -> Bool {
        let paths = [lhs, other].map {
            URL(fileURLWithPath: $0).resolvingSymlinksInPath().standardizedFileURL.path
        }
        return paths[0] == paths[1]
    }

    /// The ignores in a folder; empty if the file does not exist.
    private static func ignores(folder: String) throws -> ChangeIgnores {
        let path = folder + (folder.hasSuffix("/") ? "" : "/") + ChangeIgnores.fileName
        guard try PathKind(path) != .nothing else { return ChangeIgnores() }
        let bytes = try ByteSource(path: path).readAll(maxBytes: SchemaFiles.maxBytes)
        let (ignores, diagnostics) = ChangeIgnores.read(SchemaSource(path: path, bytes: bytes))
        let report = SchemaReport(schemas: [], diagnostics: diagnostics, checkedFiles: 1)
        guard report.isValid else {
            throw InputError(details: report.rendered(format: .text), error: .brokenIgnores(path: path))
        }
        return ignores
    }

    /// What tables need as SQL.
    private static func statements(new: [Schema], old: [Schema]) throws -> String {
        try PostgresGenerator.changes(for: new, from: old, options: PostgresOptions())
    }

    private static func summary(report: ChangeReport) -> String {
        if report.changes.isEmpty { return "No change." }
        let breaking = report.changes.count(where: \.isBreaking)
        let ignored = report.changes.count { $0.ignored != nil }
        return "\(report.changes.count.counting(noun: "change")): \(breaking) breaking"
            + (ignored > 0 ? ", \(ignored) ignored." : ".")
    }
}
