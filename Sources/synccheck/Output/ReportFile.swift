import EntitySync
import Foundation
import SyncSchema

/// The output file of a report. Only an earlier file of the same kind is replaced, so that a mistyped name costs no
/// store, backup or schema.
struct ReportFile {
    let path: String
    private let kind: Kind

    /// What a file holds.
    enum Kind {
        /// A page.
        case page
        /// The schemas of a release.
        case baseline
    }

    /// Names a file; nothing is written yet.
    init(_ path: String, kind: Kind = .page) {
        self.path = path
        self.kind = kind
    }

    /// Checks early that the file can be written, before a long simulation.
    ///
    /// - Throws: `SyncError`: `usage` if there is another file in its place.
    func checkPlace() throws {
        if try PathKind(path) == .folder { throw SyncError.cannotWrite(path: path, number: EISDIR) }
        try FolderOfFile.check(path)
        try refuseOtherFile()
    }

    /// Writes or replaces the file.
    ///
    /// - Throws: `SyncError`: `usage` if there is another file in its place.
    func write(_ bytes: some Sequence<UInt8>) throws {
        try refuseOtherFile()
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw SyncError.cannotWrite(path: path, error: error)
        }
    }

    private func refuseOtherFile() throws {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return }
        guard status.st_mode & S_IFMT == S_IFREG else { throw refusal }
        if status.st_size == 0 {
            // NB: SQLite's log and journal may be empty while another program has the store open.
            guard ["-wal", "-journal"].contains(where: path.hasSuffix) else { return }
            throw refusal
        }
        guard try isOfSameKind() else { throw refusal }
    }

    private func isOfSameKind() throws -> Bool {
        // NB: '-' alone would be standard input.
        let source = try ByteSource(path: path == "-" ? "./-" : path, isFile: true)
        switch kind {
        case .page:
            var bytes: [UInt8] = []
            _ = try source.read(into: &bytes, count: Self.pageStart.utf8.count)
            return bytes == Array(Self.pageStart.utf8)
        case .baseline:
            return SchemaBaseline.isBaseline(try source.readAll(maxBytes: SchemaFiles.maxBytes))
        }
    }

    /// How every page begins.
    private static let pageStart = "<!DOCTYPE html>"

    private var refusal: SyncError { .otherFile(at: path, word: kind == .page ? "page" : "baseline") }
}

extension SyncError {
    /// A report would replace a file that is none.
    fileprivate static func otherFile(at path: String, word: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "'\(path.visible)' is no \(word), so it is not replaced.",
            help: "Name another file. Only an earlier \(word) is replaced."
        )
    }
}
