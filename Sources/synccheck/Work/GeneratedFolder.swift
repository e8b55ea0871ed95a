import EntitySync
import Foundation
import SyncCodegen
import SyncCore

/// A folder of generated Swift.
struct GeneratedFolder {
    let path: String

    /// The changes that make the folder match the generated files.
    struct Changes {
        var written: [GeneratedFile] = []
        var removed: [String] = []
        var unchanged = 0

        var isEmpty: Bool { written.isEmpty && removed.isEmpty }
    }

    /// Compares the folder with the generated files. Hand-written files are ignored. Throws if one stands where a generated
    /// one should.
    func changes(files: [GeneratedFile]) throws -> Changes {
        var changes = Changes()
        for file in files {
            let present = try contents(name: file.name)
            if present == Array(file.contents.utf8) {
                changes.unchanged += 1
                continue
            }
            let isOurs = present.map { bytes in Self.beginnings.contains { bytes.starts(with: $0.utf8) } }
            guard isOurs ?? true || present?.isEmpty == true else {
                throw SyncError.handWrittenFile(name: file.name)
            }
            changes.written.append(file)
        }
        // SQL says nothing about Swift that is there.
        guard files.contains(where: { $0.name.hasSuffix(".swift") }) else { return changes }
        let names = Set(files.map(\.name))
        let standing = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in standing.sorted() where name.hasSuffix(".schema.swift") && !names.contains(name) {
            let isOurs = try contents(name: name)?.starts(with: Array(CodeGenerator.header.utf8)) ?? false
            if isOurs { changes.removed.append(name) }
        }
        return changes
    }

    /// How generated files begin.
    private static let beginnings = [CodeGenerator.header, "-- EntitySync:", "begin;\nset local"]

    /// Writes and removes files.
    func perform(_ changes: Changes) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for file in changes.written {
                try Data(file.contents.utf8).write(
                    to: URL(fileURLWithPath: place(name: file.name)),
                    options: .atomic
                )
            }
            for name in changes.removed { try FileManager.default.removeItem(atPath: place(name: name)) }
        } catch {
            throw SyncError.cannotWrite(path: path, error: error)
        }
    }

    private func contents(name: String) throws -> [UInt8]? {
        guard try PathKind(place(name: name)) != .nothing else { return nil }
        return try ByteSource(path: place(name: name)).readAll(maxBytes: SchemaFiles.maxBytes)
    }

    private func place(name: String) -> String { path + "/" + name }
}

extension GeneratedFolder.Changes {
    /// A line per changed file, or one line if nothing changes.
    func text(isCheck: Bool) -> String {
        let prefix = isCheck ? "would " : ""
        var lines = written.map { "\(prefix)write \($0.name)" } + removed.map { "\(prefix)remove \($0)" }
        if lines.isEmpty { lines = ["\(unchanged) files are up to date"] }
        return lines.map { $0 + "\n" }.joined()
    }

    /// `{"written":[...],"removed":[...],"unchanged":N}`.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("written")
        writer.array(elements: written) { $0.string($1.name) }
        writer.name("removed")
        writer.array(elements: removed) { $0.string($1) }
        writer.member(name: "unchanged", count: unchanged)
        writer.endObject()
        return writer.bytes
    }
}
