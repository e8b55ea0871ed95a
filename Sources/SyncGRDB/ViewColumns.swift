#if GRDB
    import Foundation
    import GRDB
    import SyncCore
    import SyncStore

    /// The columns of an entity's view, by which its rows become records.
    final class ViewColumns: Sendable {
        private let descriptor: EntityDescriptor
        /// The names of the fields as GRDB finds them fastest.
        private let names: [String]
        /// Where the null bit of each field is, by the text of the column that tells it.
        private let places = Guarded<[String: [NullBits.Place?]]>([:])

        private init(descriptor: EntityDescriptor) {
            self.descriptor = descriptor
            names = descriptor.fields.map { $0.name.lowercased() }
        }

        private static let known = Guarded<[ObjectIdentifier: ViewColumns]>([:])

        /// The columns of a type, made once.
        static func of<Entity: SyncEntity>(type: Entity.Type) -> ViewColumns {
            known.use { known in
                if let columns = known[ObjectIdentifier(type)] { return columns }
                let columns = ViewColumns(descriptor: Entity.adapter.descriptor)
                known[ObjectIdentifier(type)] = columns
                return columns
            }
        }

        /// The record in a row. Throws `usage` if the row lacks a column.
        func record(row: Row) throws -> SyncCore.Record {
            var record = SyncCore.Record(empty: descriptor)
            let absence = try Absence(row: row, columns: self)
            for (index, field) in descriptor.fields.enumerated() {
                let found = try value(named: names[index], of: row)
                record.values[index] =
                    found.isNull
                    ? try absence.isNull(field: index) ? .null : nil : Self.value(of: found, type: field.type)
            }
            if let text = String.fromDatabaseValue(try value(named: "sync_unknown", of: row)) {
                record.unknown = try unknown(text: text)
            }
            return record
        }

        /// The store that the row was read from; none if the row does not tell.
        func store(of row: Row) -> StoreID {
            guard row.hasColumn("sync_store"), let text = String.fromDatabaseValue(row["sync_store"]) else {
                return .none
            }
            return StoreID(hex: text) ?? .none
        }

        /// The value of a column of a row. Throws `usage` if there is none.
        fileprivate func value(named name: String, of row: Row) throws -> DatabaseValue {
            guard row.hasColumn(name) else {
                throw SyncError.notAViewRow(
                    entity: descriptor.name,
                    view: descriptor.liveView,
                    column: descriptor.fields.first { $0.name.lowercased() == name }?.name ?? name
                )
            }
            return row[name]
        }

        /// Where the null bit of a field is, as the view says. Nil if the view does not know the field.
        fileprivate func place(field: Int, text: String) throws -> NullBits.Place? {
            try places.use { places in
                if let known = places[text] { return known[field] }
                let byName = try decoding(part: "null bits") { try NullBits.places(text: text) }
                let found = descriptor.fields.map { byName[$0.name] }
                places[text] = found
                return found[field]
            }
        }

        private func unknown(text: String) throws -> [UnknownField] {
            var copy = text
            return try decoding(part: "unknown fields") { try copy.withUTF8 { try UnknownText.decode($0) } }
        }

        private func decoding<Result>(part: String, _ body: () throws -> Result) throws -> Result {
            do { return try body() } catch is JSONError {
                throw SyncError.damagedRecord(entity: descriptor.name, part: part)
            }
        }

        /// A value that is not null. Another type than the view's gives the type's zero.
        private static func value(of found: DatabaseValue, type: FieldType) -> FieldValue? {
            switch type {
            case .boolean: .boolean(Int64.fromDatabaseValue(found) ?? 0 != 0)
            case .integer: .integer(Int64.fromDatabaseValue(found) ?? 0)
            case .number: .number(Double.fromDatabaseValue(found) ?? 0)
            case .dateTime: Timestamp(String.fromDatabaseValue(found) ?? "").map(FieldValue.timestamp)
            case .data: .bytes(Array(Data.fromDatabaseValue(found) ?? Data()))
            case .array, .object, .map: .json(String.fromDatabaseValue(found) ?? "")
            default: .text(String.fromDatabaseValue(found) ?? "")
            }
        }
    }

    /// Which fields of a row are null and which are absent: both are NULL in the view.
    private struct Absence {
        let row: Row
        let columns: ViewColumns
        /// The first column of bits. Nothing is looked up while all columns are 0, as in most rows.
        private let first: Int64
        private let slots: DatabaseValue

        init(row: Row, columns: ViewColumns) throws {
            self.row = row
            self.columns = columns
            first = Int64.fromDatabaseValue(try columns.value(named: "sync_nulls", of: row)) ?? 0
            slots = try columns.value(named: "sync_slots", of: row)
        }

        func isNull(field: Int) throws -> Bool {
            guard first != 0 || row.hasColumn("sync_nulls1") else { return false }
            let text = String.fromDatabaseValue(slots) ?? ""
            guard let place = try columns.place(field: field, text: text) else { return false }
            let bits = try columns.value(named: place.column, of: row)
            return (Int64.fromDatabaseValue(bits) ?? 0) >> place.bit & 1 == 1
        }
    }
#endif
