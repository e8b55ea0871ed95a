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

    /// The elements of a file cannot be told apart.
    static func notAnArray(line: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The file is not one whole JSON array; what is on line \(line) does not fit.",
            help: "Check whether it was cut off, or holds one record per line; nothing was imported."
        )
    }

    /// A quotation mark opens, and none closes.
    static func openQuotation(line: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message:
                "The row on line \(line) has a quotation mark that nothing closes, up to the end of the file.",
            help: "Close it, or write it twice inside of others; nothing was imported."
        )
    }

    /// The first row names something that is no field.
    static func unknownColumn(name: String, number: Int, entity: EntityDescriptor) -> SyncError {
        let near = NearestName.find(name, among: entity.fields.map(\.name))
        let unknown = name.isPlainName && !name.isEmpty ? " '\(name)'" : ""
        return SyncError(
            kind: .invalidInput,
            message: "Column \(number)\(unknown) is named after no field of \(entity.name).",
            help: (near.map { "Did you mean '\($0)'? " } ?? "")
                + "Name it after a field, or take it away; commas separate columns. Nothing was imported."
        )
    }

    /// The first row names a field twice.
    static func repeatedColumn(number: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "Column \(number) has the name of one before it.",
            help: "Take one of them away; nothing was imported."
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

    /// What an import refuses would replace a file.
    static func rejectsOverFile() -> SyncError {
        SyncError(
            kind: .usage,
            message:
                "There is a file at the place of the rejects. Only the imported file itself is replaced.",
            help:
                "Import the records of that file first if an earlier import has refused them, or choose another name."
        )
    }

    /// What an import has refused could not get its name. The records that fit are in the store.
    static func rejectsUnderOtherName(path: String) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message:
                "The records that fit were imported; the others are in '\(path)', which could not be renamed.",
            help: "Mend them there, and import that file."
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

extension FieldError {
    /// What is wrong with a row as a whole.
    enum RowFault {
        case encoding
        case quotation
        case count(Int, expected: Int)
    }

    /// A row of cells that cannot be read.
    static func row(fault: RowFault) -> FieldError {
        let message =
            switch fault {
            case .encoding: "The row holds bytes that are not UTF-8."
            case .quotation:
                "A cell with a quotation mark must stand in quotation marks, and have its own ones twice."
            case .count(let count, let expected):
                "The row has \(count) cells, and the first row has \(expected)."
            }
        return FieldError(field: "", rule: "csv", message: message)
    }

    /// The error of a record that was read from cells, without a place in the JSON that was made of them.
    static func ofCells(error: any Error) -> any Error {
        guard let error = error as? JSONError else { return error }
        return FieldError(field: "", rule: "json", message: "A cell has \(error.kind.rawValue).")
    }
}
