import SyncCore
import SyncSQLite
import SyncWire

/// Reads one page of a log: the records of some entities in the order of their revisions, each entity from its own place.
///
/// Keyset, never offset: a record that is edited while a reader pages gets a higher revision and comes later.
struct PageReader {
    var session: LogSession
    /// The most records.
    let maxRecords: Int
    /// The size at which a page ends; one record alone may be larger.
    let maxBytes: Int
    /// Revisions to pass without giving them: what the request itself has stored.
    let passed: Set<Int64>

    /// What a page holds.
    struct Page {
        /// The number of records in it.
        var records = 0
        /// Everything up to here was looked at.
        var position: Int64 = 0
        /// Whether there is more.
        var hasMore = false
    }

    /// Writes the page after some places, oldest first: each record goes from its row straight into the answer.
    mutating func page(
        after places: [String: PageCursor.Place],
        into writer: inout ExchangeAnswerWriter
    ) throws -> Page {
        var sources: [Source] = []
        defer { for source in sources { source.query.reset() } }
        for (entity, place) in places where place.position < session.revision {
            if let source = try source(entity: entity, after: place.position) { sources.append(source) }
        }
        var page = Page()
        var bytes = 0
        while let next = sources.indices.min(by: { sources[$0].revision < sources[$1].revision }) {
            let source = sources[next]
            if !passed.contains(source.revision) {
                let entry = source.query.blob(at: 2)
                let isFull = page.records >= maxRecords || bytes + entry.count > maxBytes
                if isFull, page.records > 0 {
                    page.hasMore = true
                    return page
                }
                let name = StoredRecord.revision(number: source.revision, run: source.query.string(at: 1))
                bytes += writer.change(revision: name, entry: entry)
                page.records += 1
            }
            page.position = source.revision
            if try source.query.step() {
                sources[next].revision = source.query.int64(at: 0)
            } else {
                sources.remove(at: next)
            }
        }
        return page
    }

    /// The rows of one entity from a place on; `revision` is that of the current row.
    private struct Source {
        let query: Statement
        var revision: Int64
    }

    private mutating func source(entity: String, after position: Int64) throws -> Source? {
        guard let entity = try session.id(of: entity) else { return nil }
        let query = try session.access.connection.cached(
            sql: """
                SELECT revision, run, entry FROM record
                WHERE log = ?1 AND entity = ?2 AND revision > ?3 ORDER BY revision
                """
        )
        try query.bind(session.id, at: 1)
        try query.bind(entity, at: 2)
        try query.bind(position, at: 3)
        guard try query.step() else { return nil }
        return Source(query: query, revision: query.int64(at: 0))
    }
}
