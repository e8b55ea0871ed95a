import SyncCore
import SyncSQLite

/// Binds the values of one record directly to a statement that writes its row, and checks that they match its key.
final class StatementBinder: RowBinder {
    private let table: EntityTable
    private let statement: Statement
    private let firstField: Int
    private var nulls: [Int64]
    private var key = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    private var hasKey = false
    private var hasOtherKey = false
    /// The values of the key fields, if the key is not a single text.
    private var keyValues: Record
    private let isKeyField: [Bool]

    init(table: EntityTable, statement: Statement) {
        self.table = table
        self.statement = statement
        firstField = EntitySQL.Parameter.firstNull + table.nulls.count
        nulls = Array(repeating: 0, count: table.nulls.count)
        keyValues = Record(empty: table.descriptor)
        isKeyField = table.descriptor.fields.indices.map(table.descriptor.layout.key.contains)
    }

    /// Starts a row. `key` must stay in place until the statement has run.
    func begin(key: UnsafeBufferPointer<UInt8>) throws {
        statement.clearBindings()
        for index in nulls.indices { nulls[index] = 0 }
        self.key = key
        hasKey = false
        hasOtherKey = false
        if table.keyField == nil {
            for index in table.descriptor.layout.key { keyValues.values[index] = nil }
        }
        try statement.bindTextWithoutCopy(key, at: EntitySQL.Parameter.key)
    }

    /// Binds metadata and state of the row, and checks the key, after all values are bound.
    ///
    /// - Parameter requiresKey: Whether the key must be among the values. A tombstone may have lost it.
    func finish(_ header: RecordHeader, mergedInto: RecordKey?, requiresKey: Bool) throws {
        try checkKey(requiresKey: requiresKey)
        try statement.bind(header)
        try statement.bind(mergedInto?.text, at: EntitySQL.Parameter.merged)
        for (index, bits) in nulls.enumerated() {
            try statement.bind(bits, at: EntitySQL.Parameter.firstNull + index)
        }
    }

    func bindNull(at field: Int) throws {
        if isKeyField[field] { hasOtherKey = true }
        let slot = table.slots[field]
        nulls[slot / EntityTable.slotsPerColumn] |= 1 << Int64(slot % EntityTable.slotsPerColumn)
    }

    func bind(_ value: Bool, at field: Int) throws {
        try statement.bind(Int64(value ? 1 : 0), at: firstField + field)
    }

    func bind(_ value: Int64, at field: Int) throws {
        if isKeyField[field] { keyValues.values[field] = .integer(value) }
        try statement.bind(value, at: firstField + field)
    }

    func bind(_ value: Double, at field: Int) throws {
        guard value.isFinite else {
            let name = table.descriptor.fields[field].name
            throw FieldError(field: name, rule: "number-range", message: "'\(name)' must be finite.")
        }
        try statement.bind(value, at: firstField + field)
    }

    func bind(_ value: Timestamp, at field: Int) throws {
        if isKeyField[field] { keyValues.values[field] = .timestamp(value) }
        try statement.bind(value.microseconds, at: firstField + field)
    }

    func bind(text: UnsafeBufferPointer<UInt8>, isStable: Bool, at field: Int) throws {
        if isKeyField[field] {
            if field == table.keyField {
                // The column is bound already, with the record's key.
                hasKey = true
                if !text.hasSameBytes(as: key) { hasOtherKey = true }
                return
            }
            keyValues.values[field] = .text(String(decoding: text, as: UTF8.self))
        }
        if isStable {
            try statement.bindTextWithoutCopy(text, at: firstField + field)
        } else {
            try statement.bindText(text, at: firstField + field)
        }
    }

    func bind(bytes: [UInt8], at field: Int) throws {
        try statement.bind(bytes, at: firstField + field)
    }

    func bind(unknown: [UnknownField]) throws {
        guard !unknown.isEmpty else { return }
        try statement.bind(UnknownText.encode(unknown), at: EntitySQL.Parameter.unknown)
    }
}

extension StatementBinder {
    private func checkKey(requiresKey: Bool) throws {
        let descriptor = table.descriptor
        if table.keyField == nil {
            let isComplete = descriptor.layout.key.allSatisfy { keyValues.values[$0] != nil }
            if isComplete {
                guard var found = descriptor.key(of: keyValues)?.text else { throw otherKey() }
                if !found.withUTF8({ $0.hasSameBytes(as: key) }) { hasOtherKey = true }
            } else if requiresKey {
                hasOtherKey = true
            }
        } else if requiresKey, !hasKey {
            hasOtherKey = true
        }
        if hasOtherKey { throw otherKey() }
    }

    private func otherKey() -> FieldError {
        let names = table.descriptor.key.joined(separator: ", ")
        return FieldError(
            field: names,
            rule: "key",
            message: "'\(names)' does not match the key that the record is kept under."
        )
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// NB: `elementsEqual` takes ten times as long, and every record that is taken in has a key to compare.
    fileprivate func hasSameBytes(as other: Self) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }
}
