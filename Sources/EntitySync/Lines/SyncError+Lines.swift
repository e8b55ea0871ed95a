import SyncCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The wording of errors of exports and imports.
extension SyncError {
    /// Lines of a file are invalid.
    static func refusedLines(of refusal: ImportError) -> SyncError {
        let first = refusal.lines.first
        let reason = first?.message ?? ""
        let place = first.map { line in
            "line \(line.line)" + (line.column.map { ", position \($0)" } ?? "")
        }
        let count = refusal.count == 1 ? "A line" : "\(refusal.count) lines"
        return SyncError(
            kind: .invalidInput,
            message:
                "\(count) of the \(refusal.entity) records cannot be imported; \(place ?? ""): \(reason)",
            help: "Correct the file and import it again; nothing was imported."
        )
    }

    /// A line is longer than any record.
    static func longLine(number: Int, maxBytes: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "Line \(number) is larger than \(maxBytes >> 20) MiB.",
            help: "Check whether the file holds one record per line; nothing was imported."
        )
    }

    /// A URL does not name a file.
    static func noFileURL() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The URL does not name a file.",
            help: "Use a file URL. What is elsewhere has to be loaded first."
        )
    }

    /// The file to import does not exist.
    static func noSuchFile() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no file at this place.",
            help: "Choose another file; nothing was imported."
        )
    }

    /// What is to be imported is a folder, a device or an open store.
    static func notAnExport() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "What is at this place is no file of records.",
            help: "Choose a file that an export has written; nothing was imported."
        )
    }

    /// A folder holds no exported file.
    static func emptyExportFolder() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no exported file in this folder.",
            help: "Choose a folder that an export has written; nothing was imported."
        )
    }

    /// A folder holds a file that is named after no entity.
    static func foreignExportFile() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "A file in this folder is not named after a kind of record that is known here.",
            help: "Update this app, or take the file away; nothing was imported."
        )
    }

    /// The folder of an export cannot be made.
    static func noExportFolder() -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The folder of the export cannot be made.",
            help: "Make its parent folder, and check its permissions.",
            retry: .afterAction
        )
    }

    /// A folder or a special file is where an export should go, or another export goes to the same place.
    static func noPlaceForFile() -> SyncError {
        SyncError(
            kind: .usage,
            message: "There is something else at the place of the export.",
            help: "Choose another name."
        )
    }

    /// A file cannot be read.
    static func cannotReadFile(number: Int32) -> SyncError {
        if number == EACCES || number == EPERM { return .notPermitted(what: "Reading the file") }
        if number == EISDIR { return .notAnExport() }
        return SyncError(
            kind: .inputOutput,
            message: "The file could not be read, the system's error \(number).",
            help: "Check the file and try again; nothing was imported.",
            retry: .later
        )
    }

    /// A file cannot be written.
    static func cannotWriteFile(number: Int32) -> SyncError {
        if [EACCES, EPERM, EROFS].contains(number) { return .notPermitted(what: "Writing the file") }
        return SyncError(
            kind: .inputOutput,
            message: number == ENOSPC
                ? "There is no room for the file."
                : "The file could not be written, the system's error \(number).",
            help: "Check its folder and the free space, and try again.",
            retry: .later
        )
    }
}
