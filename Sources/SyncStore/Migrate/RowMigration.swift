import Foundation
import SyncCore
import SyncSQLite

/// Moves values between columns and unknown members after a schema gained or lost fields. Each row becomes what a
/// pull with the present schema would have written.
struct RowMigration {
    private let connection: Connection
    private let plan: TablePlan
    private let table: EntityTable
    private let rows: EntitySession
    private let decoder: RecordDecoder
    private let lenientDecoder: RecordDecoder

    init(connection: Connection, descriptor: EntityDescriptor, plan: TablePlan) throws {
        self.connection = connection
        self.plan = plan
        table = try EntityTable(descriptor: descriptor, shape: plan.shape)
        rows = EntitySession(table: table, connection: connection)
        var decoder = RecordDecoder(descriptor: descriptor, form: .wire)
        decoder.requiresAll = false
        self.decoder = decoder
        var lenientDecoder = RecordDecoder(descriptor: table.lenient, form: .wire)
        lenientDecoder.requiresAll = false
        self.lenientDecoder = lenientDecoder
    }

    func run() throws {
        try noteShared()
        if plan.rereadsUnknown || !plan.removed.isEmpty || !plan.reshaped.isEmpty || !plan.localized.isEmpty {
            for key in try affectedKeys() { try move(key) }
        }
        for (field, descriptor) in table.descriptor.fields.enumerated() where descriptor.isRequired {
            if let json = descriptor.defaultJSON { try fill(field, json: json) }
        }
    }

    /// Keys of rows with unknown members, or with a value in a column that is removed or reshaped.
    private func affectedKeys() throws -> [RecordKey] {
        var terms = ["sync_unknown IS NOT NULL"]
        for column in plan.removed + plan.localized {
            terms.append("\(try SQL.identifier(name: column.name)) IS NOT NULL")
            terms.append("\(nullBit(slot: column.slot)) <> 0")
        }
        for column in plan.reshaped { terms.append("\(try SQL.identifier(name: column.name)) IS NOT NULL") }
        let sql = "SELECT \(table.key) FROM \(table.name) WHERE \(terms.joined(separator: " OR "))"
        var keys: [RecordKey] = []
        try connection.cached(sql: sql).forEachRow { keys.append(RecordKey($0.string(at: 0))) }
        return keys
    }

    private func move(_ key: RecordKey) throws {
        guard var record = try rows.load(key) else { return }
        for column in plan.reshaped { try reread(column: column, record: &record.version.record) }
        var tree = MemberTree()
        var unknown: [UnknownField] = []
        for member in record.version.record.unknown {
            let path = MemberTree.components(path: member.path)
            if !tree.insert(path[...], json: member.json) { unknown.append(member) }
        }
        for (path, json) in try formerValues(key: key) {
            if !tree.insert(path[...], json: json) {
                unknown.append(UnknownField(path: MemberTree.path(components: path), json: json))
            }
        }
        var displaced: [(field: Int, value: FieldValue)] = []
        var former: [UnknownField] = []
        for member in tree.members {
            guard let found = try? Self.record(of: member, decoder: decoder), !isOutdated(member, in: record)
            else {
                unknown.append(
                    UnknownField(path: MemberTree.path(components: [member.name]), json: member.json)
                )
                continue
            }
            for (field, value) in found.values.enumerated() {
                guard let value else { continue }
                guard let own = record.version.record.values[field] else {
                    record.version.record.values[field] = value
                    continue
                }
                if value == own {
                    // A pull would find both names, too, and take the former one for a member that it does not know.
                    if let member = try formerMember(field, value: own) { former.append(member) }
                    continue
                }
                let name = table.descriptor.fields[field].name
                if record.state != .synced, !plan.shared.contains(where: { $0.hasSameBytes(as: name) }) {
                    // It is part of an edit that no other device has.
                    displaced.append((field, value))
                    continue
                }
                // What travels is the same on all devices. A value that only this one shows gives way to it.
                displaced.append((field, own))
                if let member = try formerMember(field, value: own) { former.append(member) }
                record.version.record.values[field] = value
            }
            unknown += found.unknown
        }
        unknown += former.filter { member in !unknown.contains { $0.path.hasSameBytes(as: member.path) } }
        unknown.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        record.version.record.unknown = unknown
        try rows.save(record)
        try keep(displaced: displaced, of: record.version)
    }

    /// Puts values in the journal that a field showed on this device only: under its former name, or while it was
    /// `localOnly`. What travels has another value.
    private func keep(displaced: [(field: Int, value: FieldValue)], of kept: SyncRecord) throws {
        guard !displaced.isEmpty else { return }
        var lost = kept
        for (field, value) in displaced { lost.record.values[field] = value }
        let rule = "renamed"
        let lostEntry = EntryCodec.encode(lost, descriptor: table.descriptor, keepsLocal: true)
        // The content distinguishes what two changes of the schema took from one version.
        let content = Digest(lostEntry)
        let text = "\(kept.entity)\n\(kept.key)\n\(kept.metadata.editTimestamp)\n\(content)\n\(rule)"
        let id = String(Digest(Array(text.utf8)).description.prefix(16))
        let statement = try connection.cached(
            sql: """
                INSERT INTO sync_journal (id, entity, key, rule, at, kept, lost) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
                ON CONFLICT (id) DO NOTHING
                """
        )
        for (index, value) in [id, kept.entity, kept.key.text, rule].enumerated() {
            try statement.bind(value, at: index + 1)
        }
        try statement.bind(kept.metadata.editTimestamp.time.microseconds, at: 5)
        try statement.bind(
            EntryCodec.encode(kept, descriptor: table.descriptor, keepsLocal: true),
            at: 6
        )
        try statement.bind(lostEntry, at: 7)
        try statement.run()
    }

    /// Converts a list or object to the present schema. One that does not fit stays unchanged.
    private func reread(column: TableShape.Column, record: inout Record) throws {
        guard let field = table.descriptor.layout.position(of: column.name),
            case .json(let json) = record.values[field], let wire = try column.nested?.wire(json: json)
        else { return }
        var tree = MemberTree()
        _ = tree.insert(table.descriptor.fields[field].wirePath[...], json: wire)
        for member in tree.members {
            if let value = (try? Self.record(of: member, decoder: lenientDecoder))?.values[field] {
                record.values[field] = value
            }
        }
    }

    /// The record that has one member.
    private static func record(of member: MemberTree.Member, decoder: RecordDecoder) throws -> Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name(member.name)
        writer.raw(member.json)
        writer.endObject()
        var decoder = decoder
        return try decoder.record(writer.bytes)
    }

    /// Whether a member is the value of a renamed field under its former name, although it has one under its present name.
    private func isOutdated(_ member: MemberTree.Member, in local: LocalRecord) -> Bool {
        table.descriptor.fields.enumerated().contains { index, field in
            field.formerWireNames.contains { $0.hasSameBytes(as: member.name) }
                && local.version.record.values[index] != nil
        }
    }

    /// Notes the fields that are shared from now on, if a record has a value of its own in one of them: such a value is an
    /// edit, which the next sync makes. A null without a default is none: the other devices have nothing there.
    private func noteShared() throws {
        let fields = try plan.shared.filter { name in
            guard let field = table.descriptor.layout.position(of: name) else { return false }
            let isNull = "\(nullBit(slot: table.slots[field])) <> 0"
            var isSet = "\(table.columns[field]) IS NOT NULL"
            if table.descriptor.fields[field].defaultJSON == nil {
                let column = nullColumn(slot: table.slots[field])
                let cleared = "\(column) & ~\(mask(slot: table.slots[field]))"
                try connection.execute("UPDATE \(table.name) SET \(column) = \(cleared) WHERE \(isNull)")
            } else {
                isSet += " OR \(isNull)"
            }
            let sql = "SELECT EXISTS (SELECT 1 FROM \(table.name) WHERE \(isSet))"
            return try connection.integer(sql: sql) != 0
        }
        guard !fields.isEmpty else { return }
        var writer = JSONWriter()
        writer.strings(fields)
        try connection.setStoreValue(LocalValues.name(of: table.descriptor), value: writer.text)
    }

    /// A field's value under the name that the field had on the wire; nil if it has kept its name, or if it is the
    /// default.
    private func formerMember(_ field: Int, value: FieldValue) throws -> UnknownField? {
        let descriptor = table.descriptor.fields[field]
        // The default of a record that came without the field, which is nowhere on the wire.
        if value == table.descriptor.layout.defaults[field] { return nil }
        guard let move = plan.moved.first(where: { $0.field.hasSameBytes(as: descriptor.name) }) else {
            return nil
        }
        var record = Record(empty: table.descriptor)
        record.values[field] = value
        let bytes = RecordEncoder(descriptor: table.lenient, form: .wire).bytes(record)
        var json: String?
        try bytes.withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            guard try reader.beginObject() else { return }
            _ = try reader.name()
            json = String(decoding: try reader.skipValue(), as: UTF8.self)
        }
        guard let json, descriptor.wirePath.count == 1 else { return nil }
        return UnknownField(path: MemberTree.path(components: move.from), json: json)
    }

    /// Wire paths and JSON of the values in columns that are removed, or whose field stays on this device now.
    private func formerValues(key: RecordKey) throws -> [(path: [String], json: String)] {
        var values: [(path: [String], json: String)] = []
        for column in plan.removed + plan.localized {
            let name = try SQL.identifier(name: column.name)
            let statement = try connection.cached(
                sql:
                    "SELECT \(name), \(nullBit(slot: column.slot)) FROM \(table.name) WHERE \(table.key) = ?1"
            )
            try statement.bind(key.text, at: 1)
            defer { statement.reset() }
            guard try statement.step() else { continue }
            if !statement.isNull(at: 0) {
                values.append((column.path, try Self.json(statement: statement, column: column)))
            } else if statement.int64(at: 1) != 0 {
                values.append((column.path, "null"))
            }
        }
        return values
    }

    private static func json(statement: Statement, column: TableShape.Column) throws -> String {
        if let nested = column.nested { return try nested.wire(json: statement.string(at: 0)) }
        var writer = JSONWriter()
        switch column.kind {
        case "boolean": writer.boolean(statement.int64(at: 0) != 0)
        case "integer": writer.integer(statement.int64(at: 0))
        case "number": writer.number(statement.double(at: 0))
        case "date-time": writer.string(Timestamp(microseconds: statement.int64(at: 0)).description)
        case "data": writer.string(Data(statement.bytes(at: 0)).base64EncodedString())
        default: writer.string(statement.text(at: 0))
        }
        return writer.text
    }

    /// Gives rows without a required field its default, as a pull would.
    private func fill(_ field: Int, json: String) throws {
        let member = MemberTree.Member(name: table.descriptor.fields[field].name, json: json)
        var plain = RecordDecoder(descriptor: table.descriptor, form: .plain)
        plain.requiresAll = false
        guard let value = try Self.record(of: member, decoder: plain).values[field] else { return }
        let isAbsent = "\(table.columns[field]) IS NULL AND \(nullBit(slot: table.slots[field])) = 0"
        let change =
            value == .null
            ? "\(nullColumn(slot: table.slots[field])) = \(nullColumn(slot: table.slots[field])) | \(mask(slot: table.slots[field]))"
            : "\(table.columns[field]) = ?1"
        let statement = try connection.cached(sql: "UPDATE \(table.name) SET \(change) WHERE \(isAbsent)")
        if value != .null { try statement.bind(value, at: 1) }
        try statement.run()
    }

    private func nullBit(slot: Int) -> String { "(\(nullColumn(slot: slot)) & \(mask(slot: slot)))" }
    private func nullColumn(slot: Int) -> String {
        EntityTable.nullColumn(number: slot / EntityTable.slotsPerColumn)
    }
    private func mask(slot: Int) -> Int64 { 1 << Int64(slot % EntityTable.slotsPerColumn) }
}
