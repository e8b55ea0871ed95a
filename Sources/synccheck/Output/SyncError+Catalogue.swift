import EntitySync
import Foundation
import SyncCore
import SyncFileBackend
import SyncInspector

/// All errors of the command line itself, with their wording.
extension SyncError {
    /// Unknown command.
    static func unknownCommand(name: String, nearest: String?) -> SyncError {
        let help = "Run 'synccheck --help' for the list of commands."
        return SyncError(
            kind: .usage,
            message: "There is no command '\(name.visible)'.",
            help: nearest.map { "Did you mean '\($0)'? \(help)" } ?? help
        )
    }

    /// Unknown entity.
    static func unknownEntity(name: String, known: [String], nearest: String?) -> SyncError {
        var error = SyncError.unknownEntity(name: name.visible, known: known)
        if let nearest { error.help = "Did you mean '\(nearest)'? " + error.help }
        return error
    }

    /// A schema path does not exist.
    static func noSchemas(at path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no schema file or folder '\(path.visible)'.",
            help: "Name the folder with the '*.schema.json' files with '--schemas DIR'."
        )
    }

    /// A schema folder has no schemas.
    static func emptySchemaFolder(_ paths: [String]) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no '*.schema.json' file in '\(paths.joined(separator: "', '").visible)'.",
            help: "Name the folder with the schemas with '--schemas DIR'."
        )
    }

    /// A remote that cannot make accounts for the conformance suite.
    static func noScratchAccounts() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The conformance suite needs accounts of its own; a Supabase project has none to give.",
            help: "Run it against a folder or a sync server."
        )
    }

    /// Schemas have errors.
    static func brokenSchemas(errors: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The schemas have \(errors == 1 ? "an error" : "\(errors) errors").",
            help: "Correct what is listed above and check with 'synccheck validate'; nothing else was done."
        )
    }

    /// The list of accepted changes cannot be read.
    static func brokenIgnores(path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "'\(path.visible)' cannot be used.",
            help: "Correct what is listed above; nothing was compared."
        )
    }

    /// The baseline of a release cannot be read.
    static func brokenBaseline(path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "'\(path.visible)' cannot be used as baseline.",
            help: baselineHelp
        )
    }

    /// Advice on the baseline argument.
    static let baselineHelp =
        "Name a file that 'synccheck diff --write-baseline FILE NEW' wrote at the last release; nothing was compared."

    /// Advice on the compared folders.
    static let comparedFoldersHelp =
        "Name folders that hold '*.schema.json' files, OLD before NEW; nothing was compared."

    /// A written member is none of the schema, and none that the record has.
    static func unknownMember(_ member: String, entity: String, nearest: String?) -> SyncError {
        let meant = nearest.map { "Did you mean '\($0.visible)'? " } ?? ""
        return SyncError(
            kind: .invalidInput,
            message: "The schema of \(entity) has no member '\(member.visible)'; nothing was written.",
            help: "\(meant)To write it nevertheless, add '--unknown'."
        )
    }

    /// The store does not exist.
    static func noStore(path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no store '\(path.visible)'.",
            help: "Name another with '--store FILE', or start one with 'put', 'import' or 'sync'."
        )
    }

    /// The store path is empty.
    static func emptyStorePath() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The path of the store is empty.",
            help: "Name a file with '--store FILE'."
        )
    }

    /// A certificate authority is given for a remote without TLS.
    static func authorityWithoutTLS() -> SyncError {
        SyncError(
            kind: .usage,
            message: "'--ca-file' is for a server with 'https'.",
            help: "Leave it out, or name the server with 'https'."
        )
    }

    /// The path of an argument is empty.
    static func emptyPath() -> SyncError {
        SyncError(
            kind: .usage,
            message: "A path is empty.",
            help: "Name a file or folder; a variable in the command may have no value."
        )
    }

    /// A given file does not exist. `orInput`: standard input would do, too.
    static func noFile(path: String, orInput: Bool) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no file '\(path.visible)'.",
            help: orInput ? "Check the path; '-' reads standard input." : "Check the path."
        )
    }

    /// There is no backup at a path, which is no id of a journal entry either.
    static func noBackup(path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no file '\(path.visible)'.",
            help: "Name the file of a backup, or the id of an entry that 'synccheck journal' lists."
        )
    }

    /// A path is a folder instead of a file.
    static func notAFile(path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "'\(path.visible)' is not an ordinary file.",
            help: "Name a file in its place; where records are read, '-' is standard input."
        )
    }

    /// A file cannot be read.
    static func cannotRead(path: String, number: Int32) -> SyncError {
        if isNotPermitted(number) { return .notPermitted(what: "Reading '\(path.visible)'") }
        return SyncError(
            kind: .inputOutput,
            message: "'\(path.visible)' could not be read (\(reason(number: number))).",
            help: "Check the file and try again.",
            retry: .later
        )
    }

    /// A file or folder cannot be written.
    static func cannotWrite(path: String, error: any Error) -> SyncError {
        cannotWrite(path: path, number: posixCode(error: error))
    }

    /// A file or folder cannot be written, as the system's number says.
    static func cannotWrite(path: String, number: Int32?) -> SyncError {
        if isNotPermitted(number) { return .notPermitted(what: "Writing '\(path.visible)'") }
        return SyncError(
            kind: .inputOutput,
            message: "'\(path.visible)' could not be written (\(number.map(reason) ?? "unknown reason")).",
            help: number == ENOENT || number == ENOTDIR
                ? "Make the folder that it shall lie in, or check the path."
                : "Check free space and permissions of its folder.",
            retry: .later
        )
    }

    /// A store cannot be copied, to look at it.
    static func cannotCopy(path: String, error: any Error) -> SyncError {
        let number = posixCode(error: error)
        if isNotPermitted(number) {
            return .notPermitted(what: "Copying '\(path.visible)' into the folder for temporary files")
        }
        return SyncError(
            kind: .inputOutput,
            message: "'\(path.visible)' could not be copied (\(number.map(reason) ?? "unknown reason")).",
            help: "It is copied to be looked at, into the folder for temporary files. Check both.",
            retry: .later
        )
    }

    /// Standard output cannot be written.
    static func cannotPrint(number: Int32) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The output could not be written (\(reason(number: number))).",
            help: "Check where it is redirected to."
        )
    }

    /// An input exceeds the size limit.
    static func tooLarge(path: String, maxBytes: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "'\(path.visible)' is larger than \(maxBytes >> 20) MiB.",
            help: "Split it; nothing was written."
        )
    }

    /// Lines of a file are invalid.
    static func refusedLines(path: String, count: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "\(count == 1 ? "A line" : "\(count) lines") of '\(path.visible)' cannot be imported.",
            help: "Correct what is listed above and import again; nothing was imported."
        )
    }

    /// A composite key is not given as a JSON array.
    static func malformedKey(entity: EntityDescriptor) -> SyncError {
        let fields = entity.key.map { "\"\($0)\"" }.joined(separator: ",")
        return SyncError(
            kind: .usage,
            message:
                "The key of \(entity.name) has \(entity.key.count) fields; KEY is not a JSON array of them.",
            help: "Write it as '[\(fields)]' with values in place of the names."
        )
    }

    /// The remote's URL scheme is not supported.
    static func unsupportedRemote(scheme: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "A remote that begins with '\(scheme.visible)://' is not supported.",
            help: "Name a shared folder with '--remote DIR' or a server with '--remote https://…'."
        )
    }

    /// The remote has no scheme, and may name a server as well as a folder that does not exist.
    static func serverOrFolder(_ text: String) -> SyncError {
        let host = text.prefix { $0 != "/" && $0 != ":" }.lowercased()
        let scheme = host.hasSuffix(".supabase.co") ? "supabase+https" : "https"
        return SyncError(
            kind: .usage,
            message: "There is no folder '\(text.visible)', and a server is named with its scheme.",
            help:
                "Write '\(scheme)://\(text.visible)' for the server, or './\(text.visible)' for a new folder."
        )
    }

    /// The remote is empty, or a file URL without a path.
    static func emptyRemote() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The remote is empty.",
            help:
                "Name a shared folder with '--remote DIR' ('.' is the current one) or a server with '--remote https://…'."
        )
    }

    /// The server requires a token, and none is given.
    static func noToken() -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "There is no token for the server.",
            help:
                "Put it into the environment variable SYNCCHECK_TOKEN, or into a file named with '--token-file'.",
            retry: .afterAction
        )
    }

    /// The token has invalid characters.
    static func malformedToken() -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "The token holds a space, a line break or a character that is not ASCII.",
            help: "Give the token alone, as the server printed it.",
            retry: .afterAction
        )
    }

    /// The token file cannot be read.
    static func unreadableTokenFile() -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "The token file cannot be read.",
            help: "Check the path that follows '--token-file' and the file's permissions.",
            retry: .afterAction
        )
    }

    /// The remote folder does not exist.
    static func noFolder() -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "The remote folder is not there.",
            help: "Make the folder, or check the path that follows '--remote'.",
            retry: .afterAction
        )
    }

    /// The command requires a folder, but the remote is a server.
    static func folderOnly(command: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "'\(command)' is for folders; a server keeps no list of devices that others wait for.",
            help: "Name a shared folder with '--remote DIR'."
        )
    }

    /// The command requires a remote, and none is known.
    static func noRemote() -> SyncError {
        SyncError(
            kind: .usage,
            message: "This store has not synced yet, so its remote is not known.",
            help: "Name the shared folder with '--remote DIR'."
        )
    }

    /// The name matches no device, or more than one.
    static func noSuchDevice(devices: [FolderDevice], isAmbiguous: Bool) -> SyncError {
        let list = devices.map { "\($0.device) (\($0.label.visible))" }.joined(separator: ", ")
        return SyncError(
            kind: .notFound,
            message: isAmbiguous
                ? "Several devices have that name." : "The remote knows no device of that id or name.",
            help: devices.isEmpty ? "Nothing was synced there yet." : "Name one by its id: \(list)."
        )
    }

    /// A device cannot retire itself.
    static func cannotRetireItself() -> SyncError {
        SyncError(
            kind: .usage,
            message: "This is the device that runs the command.",
            help: "Retire it from another device."
        )
    }

    /// The demo folder already contains other files.
    static func folderInUse(path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "'\(path.visible)' is not empty.",
            help: "Name a folder that does not exist yet with '--output DIR'."
        )
    }

    /// A claim of the demo is false.
    static func demoFailed(claim: String) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The demo failed, as this is not so: \(claim)",
            help: "Please report it with what was printed above."
        )
    }

    /// No valid value of a field can be generated.
    static func noValue(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message:
                "No value can be made up for the field '\(field.visible)' of '\(entity)': its pattern leaves none that is found.",
            help:
                "Make the field optional, give it a default, or write its pattern without looking around and with room for its lengths."
        )
    }

    /// An unexpected error.
    static func unexpected(error: any Error) -> SyncError {
        let number = posixCode(error: error)
        return SyncError(
            kind: .inputOutput,
            message: "The command failed (\(number.map(reason) ?? "\(type(of: error))")).",
            help: "Try again; if it happens again, please report it with the command that you ran."
        )
    }
}

extension String {
    /// The text with control characters and other invisible ones escaped as `\u{...}`.
    var visible: String { namedVisibly }
}
