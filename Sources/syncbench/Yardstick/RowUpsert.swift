import CSQLite
import Foundation

/// Writes any Codable record as a row, the way persistence libraries do: columns by the names of the coding keys.
final class RowUpsert {
    private let database: RawDatabase
    private let table: String
    private let key: String
    private let json = JSONEncoder()
    /// Compiled statements by their text.
    private var statements: [String: OpaquePointer] = [:]

    init(database: RawDatabase, table: String, key: String) {
        self.database = database
        self.table = table
        self.key = key
    }

    /// Writes one record over the row of its key.
    func upsert(record: some Encodable) throws {
        let row = RowEncoder(json)
        try record.encode(to: row)
        let statement = try statement(names: row.columns.map(\.name))
        for (index, column) in row.columns.enumerated() {
            bind(column.value, statement: statement, index: Int32(index + 1))
        }
        try database.run(statement)
    }

    private func statement(names: [String]) throws -> OpaquePointer {
        let updates = names.filter { $0 != key }.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let sql = """
            INSERT INTO \(table) (\(names.joined(separator: ", "))) \
            VALUES (\(names.map { _ in "?" }.joined(separator: ", "))) ON CONFLICT (\(key)) DO UPDATE SET \(updates)
            """
        if let statement = statements[sql] { return statement }
        let statement = try database.prepare(sql)
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: RowValue, statement: OpaquePointer, index: Int32) {
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let value): sqlite3_bind_int64(statement, index, value)
        case .number(let value): sqlite3_bind_double(statement, index, value)
        case .text(let value): bindText(value, statement: statement, index: index)
        }
    }
}

/// A value of a column.
enum RowValue {
    case null
    case integer(Int64)
    case number(Double)
    case text(String)
}

/// Collects a record's columns in the order in which it encodes them.
private final class RowEncoder: Encoder {
    var columns: [(name: String, value: RowValue)] = []
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    let json: JSONEncoder

    init(_ json: JSONEncoder) {
        self.json = json
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RowContainer<Key>(encoder: self))
    }

    // NB: a row has columns only; nested values are encoded as JSON before they come here.
    func unkeyedContainer() -> any UnkeyedEncodingContainer { Nowhere(codingPath: []) }
    func singleValueContainer() -> any SingleValueEncodingContainer { Nowhere(codingPath: []) }
}

private struct RowContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RowEncoder
    let codingPath: [any CodingKey] = []

    private func add(_ key: Key, value: RowValue) { encoder.columns.append((key.stringValue, value)) }

    func encodeNil(forKey key: Key) { add(key, value: .null) }
    func encode(_ value: Bool, forKey key: Key) { add(key, value: .integer(value ? 1 : 0)) }
    func encode(_ value: String, forKey key: Key) { add(key, value: .text(value)) }
    func encode(_ value: Double, forKey key: Key) { add(key, value: .number(value)) }
    func encode(_ value: Int, forKey key: Key) { add(key, value: .integer(Int64(value))) }

    // NB: a row of a fixed shape needs its absent values as NULL.
    func encodeIfPresent(_ value: String?, forKey key: Key) {
        add(key, value: value.map { .text($0) } ?? .null)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        switch value {
        case let date as Date: add(key, value: .number(date.timeIntervalSince1970))
        case let text as String: add(key, value: .text(text))
        default:
            add(key, value: .text(String(decoding: try encoder.json.encode(value), as: UTF8.self)))
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(RowContainer<Nested>(encoder: encoder)) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { Nowhere(codingPath: []) }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// What no record of a table encodes into.
private struct Nowhere: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let codingPath: [any CodingKey]
    let count = 0

    private func refuse() -> EncodingError {
        EncodingError.invalidValue(
            0,
            .init(codingPath: codingPath, debugDescription: "a row has columns only")
        )
    }

    func encodeNil() throws { throw refuse() }
    func encode<Value: Encodable>(_ value: Value) throws { throw refuse() }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(RowContainer<Nested>(encoder: RowEncoder(JSONEncoder())))
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { RowEncoder(JSONEncoder()) }
}
