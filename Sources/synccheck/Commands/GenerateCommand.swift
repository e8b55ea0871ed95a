import ArgumentParser
import EntitySync
import Foundation
import SyncCodegen
import SyncPostgres
import SyncSchema

/// `generate`: generates the same Swift files as the build-tool plugin.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Write the Swift that the build-tool plugin would, or SQL for PostgreSQL.",
        discussion: """
            Writes only files that change, and removes generated Swift whose schema is gone. With '--check' nothing is \
            written; exit code 1 if something would change.

            With '--sql postgres', writes numbered files that sync the entities inside a PostgreSQL database or a \
            Supabase project. Apply them in order: psql -v ON_ERROR_STOP=1 -f FILE. With '--from', the last file \
            changes the tables of an earlier release to the present schemas.
            """
    )

    @Argument(
        help: "Schema files or folders. Without one, the folder of '--schemas'.",
        completion: .file()
    )
    var paths: [String] = []

    @OptionGroup var schemas: SchemaOptions

    @Option(
        help: ArgumentHelp("The folder to write to; it is made if need be.", valueName: "dir"),
        completion: .directory
    )
    var output: String

    @Option(help: ArgumentHelp("Write SQL instead of Swift: 'postgres'.", valueName: "database"))
    var sql: Database?

    @Option(help: ArgumentHelp("With '--sql': whom a row belongs to, 'user' or 'none'.", valueName: "owner"))
    var owner: Owner = .user

    @Flag(help: "With '--sql': the tables are there already; add only what is missing.")
    var existing = false

    @Flag(help: "With '--sql': the database is not Supabase's; make its roles and the schema 'auth', too.")
    var standAlone = false

    @Option(
        help: ArgumentHelp(
            "With '--sql': write a migration from the schemas in this baseline file or folder.",
            valueName: "baseline"
        ),
        completion: .file()
    )
    var from: String?

    @Flag(help: "Write nothing; fail if something would change.")
    var check = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        // NB: the names of files would follow a slash, in the system's root folder.
        try PathOption.check(output, name: "--output")
        if sql == nil, let option = sqlOption {
            throw ValidationError("'\(option)' needs '--sql postgres'.")
        }
    }

    /// An option that means nothing without `--sql`.
    private var sqlOption: String? {
        if from != nil { return "--from" }
        if existing { return "--existing" }
        return standAlone ? "--stand-alone" : nil
    }

    func run() throws {
        let report = SchemaLoader.load(try SchemaFiles.read(paths: paths.isEmpty ? [schemas.schemas] : paths))
        let errors = report.diagnostics.count { $0.severity == .error }
        guard errors == 0 else {
            throw InputError(details: report.rendered(format: .text), error: .brokenSchemas(errors: errors))
        }
        StandardStreams.write(report.rendered(format: .text), to: .error)
        let changes = try GeneratedFolder(path: output).changes(files: try files(of: report.schemas))
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

    private func files(of schemas: [Schema]) throws -> [GeneratedFile] {
        guard sql != nil else { return CodeGenerator.files(for: schemas) }
        let options = PostgresOptions(
            owner: owner == .user ? .user : .none,
            isExisting: existing,
            isStandAlone: standAlone
        )
        return try SyncError.cataloguing {
            let files =
                try from.map {
                    let former = try SchemaFiles.release(path: $0)
                    return try PostgresGenerator.files(for: schemas, from: former, options: options)
                } ?? PostgresGenerator.files(for: schemas, options: options)
            return files.map { GeneratedFile(name: $0.name, contents: $0.contents) }
        }
    }

    /// Whom a row belongs to.
    enum Owner: String, ExpressibleByArgument, CaseIterable {
        case user, none
    }

    /// A database that SQL can be written for.
    enum Database: String, ExpressibleByArgument, CaseIterable {
        case postgres
    }
}
