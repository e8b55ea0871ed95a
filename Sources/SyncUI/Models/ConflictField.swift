import EntitySync
import SyncCore

/// A field of a conflict, with its value in each version.
public struct ConflictField: Sendable, Hashable, Identifiable {
    /// The field's name in the schema.
    public let name: String
    /// This device's value in words; nil if there is none.
    public let local: String?
    /// The remote's value in words; nil if there is none.
    public let remote: String?
    /// The value that both last agreed on, in words; nil if there is none.
    public let base: String?

    /// The field's name.
    public var id: String { name }

    /// The name as a heading: `surahNumber` becomes `Surah number`.
    public var title: String {
        var title = ""
        for character in name {
            if character.isUppercase, !title.isEmpty, title.last?.isUppercase == false { title += " " }
            title += character == "_" || character == "-" ? " " : character.lowercased()
        }
        return title.prefix(1).uppercased() + title.dropFirst()
    }

    /// The fields to decide in a conflict, in the schema's order.
    static func fields<Entity: SyncEntity>(of conflict: SyncConflict<Entity>) throws -> [ConflictField] {
        let adapter = Entity.adapter
        let entity = adapter.descriptor
        let local = try conflict.local.map { try adapter.record($0) }
        let remote = try conflict.remote.map { try adapter.record($0) }
        let base = try conflict.base.map { try adapter.record($0) }
        let ownTimes = [entity.created, entity.updated, entity.deleted].compactMap { $0 }
        return entity.fields.enumerated().compactMap { index, field in
            guard !ownTimes.contains(field.name), !field.isLocalOnly else { return nil }
            let (mine, theirs) = (local?.values[index], remote?.values[index])
            if local != nil, remote != nil {
                guard mine != theirs else { return nil }
                guard conflict.fields.isEmpty || conflict.fields.contains(field.name) else { return nil }
            } else if (mine ?? theirs ?? .null) == .null {
                return nil
            }
            return ConflictField(
                name: field.name,
                local: text(value: mine ?? .null),
                remote: text(value: theirs ?? .null),
                base: text(value: base?.values[index] ?? .null)
            )
        }
    }

    /// A value in words; nil for none.
    private static func text(value: FieldValue) -> String? {
        switch value {
        case .null: nil
        case .boolean(let value): value ? "yes" : "no"
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .timestamp(let time): time.description
        case .text(let text): text
        case .bytes(let bytes): bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"
        case .json(let json): json
        }
    }
}
