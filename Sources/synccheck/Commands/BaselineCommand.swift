import ArgumentParser
import EntitySync
import SyncInspector
import SyncSchema

/// `baseline`: writes the file that later builds hold the schemas to.
struct BaselineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baseline",
        abstract: "Write the schemas of a release, to which builds hold later ones.",
        discussion: """
            Writes '\(BaselineCheck.fileName)' into the folder, with all of its schemas. If the file is there and the \
            schemas would break stores that hold to it, prints why and ends with 1; '--accept' writes it nevertheless.
            """
    )

    @Argument(help: "The folder of the schemas.", completion: .directory)
    var folder: String

    @Flag(help: "Accept what breaks the stores of the last release.")
    var accept = false

    @Option(help: "text, json or github (workflow commands).")
    var format = OutputFormat.text

    @Flag(help: "The same as '--format json'.")
    var json = false

    func run() throws {
        let sources = try SchemaFiles.sources(folder: folder)
        let schemas = try SchemaFiles.sound(report: SchemaLoader.load(sources, isInUse: true))
        let path = folder + (folder.hasSuffix("/") ? "" : "/") + BaselineCheck.fileName
        let found = try findings(at: path, sources: sources, schemas: schemas)
        let isWritten = accept || found.isEmpty
        if isWritten {
            guard let bytes = SchemaBaseline.write(sources) else { throw SyncError.brokenSchemas(errors: 1) }
            try ReportFile(path, kind: .baseline).write(bytes)
        }
        var report = SchemaReport(schemas: schemas, diagnostics: found, checkedFiles: sources.count)
        if isWritten {
            for index in report.diagnostics.indices { report.diagnostics[index].severity = .warning }
        }
        let format = json ? .json : format
        try Printer.print { printer in
            try printer.text(text: report.rendered(format: format.format))
            guard format == .text else { return }
            let count = sources.count.counting(noun: "schema")
            try printer.line(
                text: isWritten
                    ? "\(count) written to \(path.visible)."
                    : "\(path.visible) stays as it is: \(found.count.counting(noun: "change")) would break stores."
            )
        }
        if !isWritten { throw ExitCode.findings }
    }

    /// What breaks stores of the baseline that is there.
    private func findings(at path: String, sources: [SchemaSource], schemas: [Schema]) throws -> [Diagnostic]
    {
        guard try PathKind(path) != .nothing else { return [] }
        _ = try SchemaFiles.schemas(baseline: path)
        let bytes = try ByteSource(path: path).readAll(maxBytes: SchemaFiles.maxBytes)
        let baseline = SchemaSource(path: path, bytes: bytes)
        let command = "synccheck baseline --accept \(folder.shellQuoted)"
        return BaselineCheck(baseline: baseline, sources: sources, command: command)
            .diagnostics(schemas: schemas)
    }
}
