import Foundation

/// The bound of a pull: scanned bytes go straight to one prepared statement, a page per transaction.
///
/// The transaction is as large as the product's, commits as durably, and saves a cursor, too.
struct RawPull {
    let folder: String
    let database: RawDatabase

    /// Makes an empty table.
    init(_ folder: String, _ indexes: RawTable.Indexes = .declared, isPending: Bool = false) throws {
        self.folder = folder
        database = try RawDatabase(Self.path(folder), .normal)
        try RawTable.create(in: database, indexes, isPending: isPending)
    }

    static func path(_ folder: String) -> String { folder + "/raw.sqlite" }

    /// Takes all pages in and closes the file.
    func run(_ pages: [[UInt8]]) throws {
        let upsert = try database.prepare(RawTable.upsert)
        let cursor = try database.prepare(RawTable.saveCursor)
        let begin = try database.prepare("BEGIN IMMEDIATE")
        let commit = try database.prepare("COMMIT")
        for (number, page) in pages.enumerated() {
            try database.run(begin)
            try page.withUnsafeBufferPointer { bytes in
                var scanner = try RecordScanner(bytes)
                var record = ScannedRecord()
                while try scanner.next(&record) {
                    RawTable.bind(record, upsert)
                    try database.run(upsert)
                }
            }
            bindText("p\(number + 1)", cursor, 1)
            try database.run(cursor)
            try database.run(commit)
        }
        database.close()
    }
}

extension RawPull {
    /// A folder with a closed file that holds all records.
    static func filled(_ bench: Bench, _ pages: RecordPages, isPending: Bool = false) throws -> String {
        let folder = try bench.folder("raw")
        let pull = try RawPull(folder, isPending: isPending)
        try pull.run(pages.allPlain())
        return folder
    }

    /// Opens a copy of a closed file.
    static func copy(
        of folder: String,
        _ bench: Bench,
        _ synchronous: RawDatabase.Synchronous,
        cacheKiB: Int = 32 * 1024
    ) throws -> (folder: String, database: RawDatabase) {
        let copy = try bench.folder("raw-copy")
        try FileManager.default.copyItem(atPath: path(folder), toPath: path(copy))
        return (copy, try RawDatabase(path(copy), synchronous, cacheKiB: cacheKiB))
    }
}
