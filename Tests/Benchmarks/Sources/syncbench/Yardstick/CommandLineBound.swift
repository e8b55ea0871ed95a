import Foundation
import SyncCore

/// A push and a pull as a script does them: `sqlite3` writes the records that wait as JSON and marks them, `curl` sends them
/// to a server by hand and fetches them again, and `sqlite3` puts them into another file.
struct CommandLineBound {
    private let pending: String
    private let pages: RecordPages
    private let database: BuiltProgram
    private let client: BuiltProgram

    init(pages: RecordPages, bench: Bench) throws {
        guard let database = BuiltProgram(installed: "sqlite3"), let client = BuiltProgram(installed: "curl")
        else { throw Unmeasured(reason: "sqlite3 and curl are not installed") }
        (self.pages, self.database, self.client) = (pages, database, client)
        pending = try RawPull.filled(bench: bench, pages: pages, isPending: true)
    }

    func prepare(_ bench: Bench) throws -> any EndToEndRun {
        let folders = try ["raw", "raw", "server"].map { try bench.folder(path: $0) }
        try FileManager.default.copyItem(
            atPath: RawPull.path(folder: pending),
            toPath: RawPull.path(folder: folders[0])
        )
        try RawPull(folder: folders[1]).database.close()
        let server = try RawServerStore(folder: folders[2])
        let responder = try LoopbackHTTP { request in
            let body = try server.answer(method: request.method, url: request.url, body: request.body)
            return HTTPResponse(status: 200, body: body)
        }
        let url = "http://127.0.0.1:\(responder.port)"
        try write(Self.settings(.full) + parts.map(sent).joined(), to: folders[0] + "/send.sql")
        try write(parts.map { upload($0, url: url) }.joined(separator: "next\n"), to: folders[0] + "/curl")
        try write(Self.settings(.full) + parts.map(marked).joined(), to: folders[0] + "/mark.sql")
        try write(
            Self.settings(.normal) + parts.map(taken).joined() + "COMMIT;\n",
            to: folders[1] + "/take.sql"
        )
        return CommandLineRun(
            bound: self,
            folders: folders,
            url: "\(url)/[0-\(pages.pageCount - 1)]",
            server: server,
            responder: responder
        )
    }

    /// One program after the other, each in the folder of its device.
    fileprivate func run(_ folders: [String], url: String) throws {
        let files = folders.map { RawPull.path(folder: $0) }
        try database.run(arguments: [files[0], ".read send.sql"], in: folders[0])
        try client.run(arguments: ["--silent", "--fail", "--config", "curl"], in: folders[0])
        try database.run(arguments: [files[0], ".read mark.sql"], in: folders[0])
        let download = ["--silent", "--fail", "--output", "part-#1", url]
        try client.run(arguments: download, in: folders[1])
        try database.run(arguments: [files[1], ".read take.sql"], in: folders[1])
    }

    fileprivate var count: Int { pages.count }

    private var parts: Range<Int> { 0..<pages.pageCount }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}

extension CommandLineBound {
    /// The caches and the log of a file, as elsewhere.
    private static func settings(_ synchronous: RawDatabase.Synchronous) -> String {
        """
        PRAGMA cache_size = -\(RawDatabase.writerCacheKiB); PRAGMA synchronous = \(synchronous.rawValue);
        PRAGMA wal_autocheckpoint = \(RawDatabase.checkpointEveryPages);

        """
    }

    /// The rows of a part: their numbers follow each other.
    private func rows(_ part: Int) -> String {
        "number > \(part * RecordPages.size) AND number <= \((part + 1) * RecordPages.size)"
    }

    /// Writes the records of a part that wait as a JSON array.
    private func sent(_ part: Int) -> String {
        """
        .output part-\(part)
        SELECT json_group_array(json_object(\(Self.members.map { "'\($0.name)', \($0.written)" }
            .joined(separator: ", ")))) FROM bookmark WHERE state = 1 AND \(rows(part));

        """
    }

    private func upload(_ part: Int, url: String) -> String {
        "url = \"\(url)/\(part)\"\ndata-binary = \"@part-\(part)\"\nheader = \"Expect:\"\n"
    }

    private func marked(_ part: Int) -> String {
        "UPDATE bookmark SET state = 0, revision = number WHERE \(rows(part));\n"
    }

    /// Inserts the records of a part; a transaction has five of them, as many rows as the product's.
    private func taken(_ part: Int) -> String {
        let begin = part == 0 ? "BEGIN;\n" : part.isMultiple(of: 5) ? "COMMIT;\nBEGIN;\n" : ""
        return begin + """
            INSERT INTO bookmark (\(RawTable.columns.joined(separator: ", "))) SELECT \(Self.members.map(\.read)
            .joined(separator: ", ")) FROM json_each(readfile('part-\(part)')) WHERE true
            ON CONFLICT (id) DO UPDATE SET \(RawTable.columns.dropFirst().map { "\($0) = excluded.\($0)" }
            .joined(separator: ", "));

            """
    }

    /// The members of a record, in the order of the columns: how each is written and read.
    private static var members: [(name: String, written: String, read: String)] {
        RawTable.columns.map { column in
            let name = column.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : "\($1)" }
            let value = "value ->> '$.\(name)'"
            return switch column {
            case "tags": (name, "json(tags)", "value -> '$.tags'")
            case "createdAt", "updatedAt":
                (
                    name, "strftime('%Y-%m-%dT%H:%M:%SZ', \(column) / 1000000, 'unixepoch')",
                    "unixepoch(\(value)) * 1000000"
                )
            default: (name, column, value)
            }
        }
    }
}

/// One round of the script.
private struct CommandLineRun: EndToEndRun {
    let bound: CommandLineBound
    let folders: [String]
    let url: String
    let server: RawServerStore
    let responder: LoopbackHTTP

    func run() throws { try bound.run(folders, url: url) }

    func clear(_ bench: Bench) throws {
        responder.stop()
        let stored = try server.count()
        server.close()
        let found = try folders.prefix(2).map { folder in
            let database = try RawDatabase(path: RawPull.path(folder: folder), synchronous: .normal)
            defer { database.close() }
            let condition = folder == folders[0] ? " WHERE state = 0" : ""
            return try database.integer(sql: "SELECT count(*) FROM bookmark\(condition)")
        }
        guard [stored] + found == [bound.count, bound.count, bound.count] else {
            throw Unmeasured(reason: "the script stored \(stored), marked \(found[0]) and took \(found[1])")
        }
        for folder in folders { try bench.remove(folder) }
    }
}
