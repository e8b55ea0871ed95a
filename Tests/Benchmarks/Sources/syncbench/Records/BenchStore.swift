import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncRuntime
import SyncSchema
import SyncStore

/// The product as an app uses it: a store on disk, and an engine over a backend.
struct BenchStore {
    let folder: String
    let store: SQLiteStore

    /// Opens the store in a folder, and makes it when there is none.
    init(what folder: String, descriptor entity: EntityDescriptor = Bookmark.adapter.descriptor) throws {
        self.folder = folder
        store = try SQLiteStore.open(
            path: Self.path(folder: folder),
            entities: [entity],
            random: SystemRandom()
        )
    }

    /// Where the store lies in a folder: where a space looks for it.
    static func path(folder: String) -> String { folder + "/" + SyncSpace.storeFileName }

    /// One sync with a server.
    @discardableResult
    func sync(_ server: BenchServer) async throws -> SyncReport {
        let report = try await engine(server: server).sync()
        guard report.outcome == .synced else {
            throw Unmeasured(reason: "the sync was \(report.outcome): \(report.diagnostics)")
        }
        return report
    }

    /// The engine between the store and a server.
    func engine(server: BenchServer) throws -> SyncEngine {
        parts.engine(backend: try server.backend(), label: "bench")
    }

    /// Local writes.
    var writer: LocalWriter { parts.writer }

    private var parts: EngineParts { EngineParts(store: store, clock: SystemClock(), random: SystemRandom()) }

    /// How many records there are, and how many wait to be pushed.
    func counts() throws -> EntityCounts { try parts.counts(store.entities[0]) }

    /// Closes the store, which moves its log into the file.
    func close() { store.close() }
}

extension BenchStore {
    /// A folder whose store holds all records as they were pulled. It is closed.
    static func pulled(bench: Bench, pages: RecordPages) async throws -> String {
        let folder = try bench.folder(path: "pulled")
        let store = try BenchStore(what: folder)
        try await store.sync(BenchServer(pageCount: pages.pageCount) { pages.answer(page: $0) })
        store.close()
        return folder
    }

    /// A folder whose store holds all records as they were written here, and nobody was told. It is closed.
    static func pending(bench: Bench, pages: RecordPages) throws -> String {
        let folder = try bench.folder(path: "pending")
        let store = try BenchStore(what: folder)
        for page in 0..<pages.pageCount {
            try store.writer.batch { session in
                for index in pages.range(page: page) {
                    try session.save(Bookmark(pages.records.record(index: index)))
                }
            }
        }
        store.close()
        return folder
    }

    /// Opens a copy of a closed store's folder.
    static func copy(of folder: String, bench: Bench) throws -> BenchStore {
        let copy = try bench.folder(path: "copy")
        try FileManager.default.copyItem(atPath: path(folder: folder), toPath: path(folder: copy))
        return try BenchStore(what: copy)
    }
}
