import ArgumentParser
import EntitySync
import SyncDynamic
import SyncSchema

/// `validate`: reports all diagnostics of schemas, or of records in a file.
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check schemas, or records against a schema.",
        discussion: "Prints all findings in file order. Exit code 1 if there is an error among them."
    )

    @Argument(
        help: "Schema files or folders. Without one, the folder of '--schemas'.",
        completion: .file()
    )
    var paths: [String] = []

    @OptionGroup var schemas: SchemaOptions

    @Option(help: "text, json or github (workflow commands).")
    var format = OutputFormat.text

    @Flag(help: "The same as '--format json'.")
    var json = false

    @Option(help: "Check records of this entity; needs '--records'.")
    var entity: String?

    @Option(
        help: ArgumentHelp("A file of one JSON record per line; '-' is standard input.", valueName: "file"),
        completion: .file()
    )
    var records: String?

    func validate() throws {
        if (entity == nil) != (records == nil) {
            throw ValidationError("'--entity' and '--records' belong together; one of them is missing.")
        }
    }

    func run() throws {
        var report = SchemaLoader.load(try SchemaFiles.read(paths: paths.isEmpty ? [schemas.schemas] : paths))
        var summary = Self.schemaSummary(report: report)
        if let entity, let records, report.isValid {
            summary = try check(records, name: entity, report: &report)
        }
        let format = json ? .json : format
        try Printer.print { printer in
            try printer.text(text: report.rendered(format: format.format))
            if format == .text { try printer.line(text: summary) }
        }
        if !report.isValid { throw ExitCode.findings }
    }

    /// Checks records, adds their diagnostics to the report, and returns a summary.
    private func check(_ path: String, name: String, report: inout SchemaReport) throws -> String {
        let workspace = Workspace(
            entities: report.schemas.map { EntityDescriptor(schema: $0) },
            storePath: ""
        )
        var lines = RecordLines(entity: try workspace.entity(name: name), fillsIn: false)
        var count = 0
        try lines.read(ByteSource(path: path), visit: { _ in count += 1 })
        report.diagnostics += lines.findings.map { $0.diagnostic(path: ByteSource.shownPath(path)) }
        let findings = lines.findingCount
        if findings == 0 { return "\(count.counting(noun: "\(name) record")): valid." }
        let more = findings - lines.findings.count
        return "\((count + findings).counting(noun: "\(name) record")): \(findings.counting(noun: "error"))"
            + (more > 0 ? ", of which \(more) are not shown." : ".")
    }

    private static func schemaSummary(report: SchemaReport) -> String {
        let errors = report.diagnostics.count { $0.severity == .error }
        let warnings = report.diagnostics.count - errors
        let files = report.checkedFiles.counting(noun: "schema")
        if errors > 0 {
            return "\(files): \(errors.counting(noun: "error")), \(warnings.counting(noun: "warning"))."
        }
        return warnings > 0 ? "\(files): valid, \(warnings.counting(noun: "warning"))." : "\(files): valid."
    }
}

extension Int {
    /// The number with a noun whose plural ends in s.
    func counting(noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}

/// The output format of diagnostics.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json, github

    /// The same format in the schema library.
    var format: SchemaReport.Format {
        switch self {
        case .text: .text
        case .json: .json
        case .github: .github
        }
    }
}
