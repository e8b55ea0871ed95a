import Foundation
import SyncRuntime

/// The bound of a pull: scanned bytes go straight to one prepared statement.
///
/// Transactions are as large as the product's, commit as durably, and save a cursor, too.
struct RawPull {
    let folder: String
    let database: RawDatabase

    /// Makes an empty table.
    init(folder: String, indexes: RawTable.Indexes = .declared, isPending: Bool = false) throws {
        self.folder = folder
        database = try RawDatabase(path: Self.path(folder: folder), synchronous: .normal)
        try RawTable.create(in: database, indexes: indexes, isPending: isPending)
    }

    static func path(folder: String) -> String { folder + "/raw.sqlite" }

    /// Takes all pages in and closes the file.
    func run(_ pages: [[UInt8]]) throws {
        let upsert = try database.prepare(RawTable.upsert)
        let cursor = try database.prepare(RawTable.saveCursor)
        let begin = try database.prepare("BEGIN IMMEDIATE")
        let commit = try database.prepare("COMMIT")
        var size = TransactionSize()
        var isOpen = false
        for (number, page) in pages.enumerated() {
            if !isOpen { try database.run(begin) }
            isOpen = true
            var count = 0
            try page.withUnsafeBufferPointer { bytes in
                var scanner = try RecordScanner(bytes)
                var record = ScannedRecord()
                while try scanner.next(record: &record) {
                    RawTable.bind(record, statement: upsert)
                    try database.run(upsert)
                    count += 1
                }
            }
            size.add(records: count, bytes: page.count)
            guard size.isFull || number == pages.count - 1 else { continue }
            size.begin()
            isOpen = false
            bindText("p\(number + 1)", statement: cursor, index: 1)
            try database.run(cursor)
            try database.run(commit)
        }
        database.close()
    }
}

extension RawPull {
    /// A folder with a closed file that holds all records.
    static func filled(bench: Bench, pages: RecordPages, isPending: Bool = false) throws -> String {
        let folder = try bench.folder(path: "raw")
        let pull = try RawPull(folder: folder, isPending: isPending)
        try pull.run(pages.allPlain())
        return folder
    }

    /// Opens a copy of a closed file.
    static func copy(
        of folder: String,
        bench: Bench,
        synchronous: RawDatabase.Synchronous,
        cacheKiB: Int = RawDatabase.writerCacheKiB
    ) throws -> (folder: String, database: RawDatabase) {
        let copy = try bench.folder(path: "raw-copy")
        try FileManager.default.copyItem(atPath: path(folder: folder), toPath: path(folder: copy))
        return (copy, try RawDatabase(path: path(folder: copy), synchronous: synchronous, cacheKiB: cacheKiB))
    }
}
