import ArgumentParser
import EntitySync
import Foundation
import SyncCodegen
import SyncSchema

/// `generate`: generates the same Swift files as the build-tool plugin.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Write the Swift that the build-tool plugin would.",
        discussion: """
            Writes only files that change, and removes generated files whose schema is gone. With '--check' nothing is \
            written; exit code 1 if something would change.
            """
    )

    @Argument(help: "Schema files or folders. Without one, the folder of '--schemas'.")
    var paths: [String] = []

    @OptionGroup var schemas: SchemaOptions

    @Option(help: ArgumentHelp("The folder to write to; it is made if need be.", valueName: "dir"))
    var output: String

    @Flag(help: "Write nothing; fail if something would change.")
    var check = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let report = SchemaLoader.load(try SchemaFiles.read(paths: paths.isEmpty ? [schemas.schemas] : paths))
        let errors = report.diagnostics.count { $0.severity == .error }
        guard errors == 0 else {
            throw InputError(details: report.rendered(format: .text), error: .brokenSchemas(errors: errors))
        }
        StandardStreams.write(report.rendered(format: .text), to: .error)
        let changes = try GeneratedFolder(path: output).changes(
            files: CodeGenerator.files(for: report.schemas)
        )
        if !check { try GeneratedFolder(path: output).perform(changes) }
        try Printer.print { printer in
            if json {
                try printer.json { $0.raw(changes.json) }
            } else {
                try printer.text(text: changes.text(isCheck: check))
            }
        }
        if check, !changes.isEmpty { throw ExitCode.findings }
    }
}
