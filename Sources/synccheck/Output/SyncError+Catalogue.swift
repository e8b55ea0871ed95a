import EntitySync
import Foundation

/// The wording of every error that the command line itself finds.
extension SyncError {
    /// No command has that name.
    static func unknownCommand(name: String, nearest: String?) -> SyncError {
        let help = "Run 'synccheck --help' for the list of commands."
        return SyncError(
            kind: .usage,
            message: "There is no command '\(name.visible)'.",
            help: nearest.map { "Did you mean '\($0)'? \(help)" } ?? help
        )
    }

    /// No entity has that name.
    static func unknownEntity(name: String, known: [String], nearest: String?) -> SyncError {
        var error = SyncError.unknownEntity(name: name.visible, known: known)
        if let nearest { error.help = "Did you mean '\(nearest)'? " + error.help }
        return error
    }

    /// A schema path leads nowhere.
    static func noSchemas(at path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no schema file or folder '\(path.visible)'.",
            help: "Name the folder with the '*.schema.json' files with '--schemas DIR'."
        )
    }

    /// A schema folder is empty.
    static func emptySchemaFolder(_ paths: [String]) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no '*.schema.json' file in '\(paths.joined(separator: "', '").visible)'.",
            help: "Name the folder with the schemas with '--schemas DIR'."
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

    /// What to name as baseline.
    static let baselineHelp =
        "Name a file that 'synccheck diff --write-baseline FILE NEW' wrote at the last release; nothing was compared."

    /// What to name in a comparison.
    static let comparedFoldersHelp =
        "Name folders that hold '*.schema.json' files, OLD before NEW; nothing was compared."

    /// The store that a command is to look into does not exist.
    static func noStore(path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no store '\(path.visible)'.",
            help: "Name another with '--store FILE', or start one with 'put', 'import' or 'sync'."
        )
    }

    /// The path of the store is empty.
    static func emptyStorePath() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The path of the store is empty.",
            help: "Name a file with '--store FILE'."
        )
    }

    /// Authorities are named for a remote that shows no certificate.
    static func authorityWithoutTLS() -> SyncError {
        SyncError(
            kind: .usage,
            message: "'--ca-file' is for a server with 'https'.",
            help: "Leave it out, or name the server with 'https'."
        )
    }

    /// A file that was named does not exist.
    static func noFile(path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no file '\(path.visible)'.",
            help: "Check the path; '-' reads standard input."
        )
    }

    /// A folder stands where a file is expected.
    static func notAFile(path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "'\(path.visible)' is not an ordinary file.",
            help: "Name a file in its place; where records are read, '-' is standard input."
        )
    }

    /// Reading a file failed.
    static func cannotRead(path: String, number: Int32) -> SyncError {
        if number == EACCES || number == EPERM { return .notPermitted(what: "Reading '\(path.visible)'") }
        return SyncError(
            kind: .inputOutput,
            message: "'\(path.visible)' could not be read (\(reason(number: number))).",
            help: "Check the file and try again.",
            retry: .later
        )
    }

    /// Writing a file or folder failed.
    static func cannotWrite(path: String, error: any Error) -> SyncError {
        let number = posixCode(error: error)
        if number == EACCES || number == EPERM || number == EROFS {
            return .notPermitted(what: "Writing '\(path.visible)'")
        }
        return SyncError(
            kind: .inputOutput,
            message: "'\(path.visible)' could not be written (\(number.map(reason) ?? "unknown reason")).",
            help: number == ENOENT
                ? "Make the folder that it shall lie in, or check the path."
                : "Check free space and permissions of its folder.",
            retry: .later
        )
    }

    /// Standard output does not take what is printed.
    static func cannotPrint(number: Int32) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The output could not be written (\(reason(number: number))).",
            help: "Check where it is redirected to."
        )
    }

    /// An input is larger than this program takes.
    static func tooLarge(path: String, maxBytes: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "'\(path.visible)' is larger than \(maxBytes >> 20) MiB.",
            help: "Split it; nothing was written."
        )
    }

    /// There is no room to note which keys a file holds.
    static func cannotCompareKeys(reason: String) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The keys of the file could not be compared (\(reason)).",
            help: "Make room in the folder for temporary files and try again; nothing was written.",
            retry: .later
        )
    }

    /// Lines of a file cannot be taken in.
    static func refusedLines(path: String, count: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "\(count == 1 ? "A line" : "\(count) lines") of '\(path.visible)' cannot be imported.",
            help: "Correct what is listed above and import again; nothing was imported."
        )
    }

    /// A composite key is not a JSON array.
    static func malformedKey(entity: EntityDescriptor) -> SyncError {
        let fields = entity.key.map { "\"\($0)\"" }.joined(separator: ",")
        return SyncError(
            kind: .usage,
            message:
                "The key of \(entity.name) has \(entity.key.count) fields; KEY is not a JSON array of them.",
            help: "Write it as '[\(fields)]' with values in place of the names."
        )
    }

    /// A remote of a kind that this version does not know.
    static func unsupportedRemote(scheme: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "A remote that begins with '\(scheme.visible)://' is not supported.",
            help: "Name a shared folder with '--remote DIR' or a server with '--remote https://…'."
        )
    }

    /// The remote's name is empty, or a file URL without a path.
    static func emptyRemote() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The remote is empty.",
            help:
                "Name a shared folder with '--remote DIR' ('.' is the current one) or a server with '--remote https://…'."
        )
    }

    /// A server needs a token and none was given.
    static func noToken() -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "There is no token for the server.",
            help:
                "Put it into the environment variable SYNCCHECK_TOKEN, or into a file named with '--token-file'.",
            retry: .afterAction
        )
    }

    /// A token holds what no token has.
    static func malformedToken() -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "The token holds a space, a line break or a character that is not ASCII.",
            help: "Give the token alone, as the server printed it.",
            retry: .afterAction
        )
    }

    /// The file of a token is not there.
    static func unreadableTokenFile() -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "The token file cannot be read.",
            help: "Check the path that follows '--token-file' and the file's permissions.",
            retry: .afterAction
        )
    }

    /// The remote folder of a check is not there.
    static func noFolder() -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "The remote folder is not there.",
            help: "Make the folder, or check the path that follows '--remote'.",
            retry: .afterAction
        )
    }

    /// The command is for folders, and the remote is a server.
    static func folderOnly(command: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "'\(command)' is for folders; a server keeps no list of devices that others wait for.",
            help: "Name a shared folder with '--remote DIR'."
        )
    }

    /// A command needs the remote and none is known.
    static func noRemote() -> SyncError {
        SyncError(
            kind: .usage,
            message: "This store has not synced yet, so its remote is not known.",
            help: "Name the shared folder with '--remote DIR'."
        )
    }

    /// No device, or more than one, has that name.
    static func noSuchDevice(devices: [FolderDevice], isAmbiguous: Bool) -> SyncError {
        let list = devices.map { "\($0.device) (\($0.label.visible))" }.joined(separator: ", ")
        return SyncError(
            kind: .notFound,
            message: isAmbiguous
                ? "Several devices have that name." : "The remote knows no device of that id or name.",
            help: devices.isEmpty ? "Nothing was synced there yet." : "Name one by its id: \(list)."
        )
    }

    /// A device cannot say of itself that it will not return.
    static func cannotRetireItself() -> SyncError {
        SyncError(
            kind: .usage,
            message: "This is the device that runs the command.",
            help: "Retire it from another device."
        )
    }

    /// The demo would write among files of others.
    static func folderInUse(path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "'\(path.visible)' is not empty.",
            help: "Name a folder that does not exist yet with '--output DIR'."
        )
    }

    /// Something that the demo tells did not happen.
    static func demoFailed(claim: String) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The demo failed, as this is not so: \(claim)",
            help: "Please report it with what was printed above."
        )
    }

    /// No value can be made up that fits a field.
    static func noValue(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message:
                "No value can be made up for the field '\(field.visible)' of '\(entity)': its pattern leaves none that is found.",
            help:
                "Make the field optional, give it a default, or write its pattern without looking around and with room for its lengths."
        )
    }

    /// An error that no catalogue foresees.
    static func unexpected(error: any Error) -> SyncError {
        let number = posixCode(error: error)
        return SyncError(
            kind: .inputOutput,
            message: "The command failed (\(number.map(reason) ?? "\(type(of: error))")).",
            help: "Try again; if it happens again, please report it with the command that you ran."
        )
    }

    /// The system's words for an error number.
    static func reason(number: Int32) -> String { String(cString: strerror(number)) }

    private static func posixCode(error: any Error) -> Int32? {
        if let problem = error as? StorageError, problem.number != 0 { return problem.number }
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
        // NB: on Linux an atomic write into a folder that is not there names no cause.
        if error.domain == NSCocoaErrorDomain, error.code == NSFileNoSuchFileError { return ENOENT }
        let inner = error.userInfo[NSUnderlyingErrorKey] as? NSError
        return inner?.domain == NSPOSIXErrorDomain ? inner.map { Int32($0.code) } : nil
    }
}

extension String {
    /// The text with characters that would move a terminal's cursor or hide others as `\u{...}`.
    var visible: String {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}
