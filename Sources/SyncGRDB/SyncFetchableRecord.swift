#if GRDB
    import Foundation
    public import GRDB
    public import SyncCore

    /// A generated type as a record of GRDB, fetched from the view of its live records:
    ///
    /// ```swift
    /// extension Bookmark: SyncFetchableRecord { public typealias Columns = Fields }
    /// let longest = try await reader.read { db in
    ///     try Bookmark.filter { $0.surahNumber == 2 }.order { $0.verseNumber.column }.fetchAll(db)
    /// }
    /// ```
    ///
    /// A fetched record holds everything that a later `update` of its collection needs, fields of newer apps included.
    /// It cannot be written with GRDB: write through a `SyncCollection`, so that it syncs.
    ///
    /// GRDB's own decoding of `Codable` types is not used. It knows neither unknown fields nor the difference between
    /// null and absent.
    public protocol SyncFetchableRecord: SyncEntity, Codable, FetchableRecord, EncodableRecord, TableRecord {}

    extension SyncFetchableRecord {
        /// The view of the entity's live records, for example `bookmark_live`.
        public static var databaseTableName: String { adapter.descriptor.liveView }

        /// Makes a record from a row with all columns of the view.
        ///
        /// Throws `SyncError` of the kind `usage` if a column is missing, and `FieldError` if a value does not fit.
        public init(row: Row) throws {
            let columns = ViewColumns.of(type: Self.self)
            self = try Self.adapter.model(try columns.record(row: row), store: columns.store(of: row))
        }

        /// Gives the values in the form of the view. GRDB uses it to compare and show records.
        public func encode(to container: inout PersistenceContainer) throws {
            let record = try Self.adapter.record(self)
            for (field, value) in zip(Self.fields, record.values) {
                container[field.name] = value?.sqlValue.databaseValue ?? .null
            }
        }

        /// Keys that are dates have the form of the view.
        public static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
            .custom { $0.sqlValue.databaseValue }
        }

        /// Keys that are UUIDs are text in lower case.
        public static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
            .lowercaseString
        }
    }
#endif
