import EntitySync
public import Foundation
import SyncCore

/// A field of a conflict, with its value in each version.
public struct ConflictField: Sendable, Hashable, Identifiable {
    /// A version of a record in conflict.
    public enum Version: String, Sendable, Hashable, CaseIterable {
        /// This device's version.
        case local
        /// The remote's version.
        case remote
        /// The version that both last agreed on.
        case base
    }

    /// The field's name in the schema.
    public let name: String
    /// The name for people: `surahNumber` becomes `Surah number`.
    public let title: String
    private let type: FieldType
    private let values: [Version: FieldValue]

    /// The field's name.
    public var id: String { name }
    /// This device's value in English words and this person's formats; nil if there is none.
    public var local: String? { words(of: .local) }
    /// The remote's value in English words and this person's formats; nil if there is none.
    public var remote: String? { words(of: .remote) }
    /// The value that both last agreed on, in English words and this person's formats; nil if there is none.
    public var base: String? { words(of: .base) }

    /// A version's value in the words and formats of a person; nil if there is none. Where two versions would read the
    /// same though they differ, the exact value follows.
    ///
    /// ```swift
    /// let amount = field.words(of: .remote, locale: Locale(identifier: "de_DE"))  // 1.173,15
    /// ```
    public func words(
        of version: Version,
        texts: ConflictTexts = ConflictTexts(),
        locale: Locale = .autoupdatingCurrent,
        timeZone: TimeZone = .autoupdatingCurrent
    ) -> String? {
        guard let value = values[version] else { return nil }
        let words = FieldWords(texts: texts, locale: locale, timeZone: timeZone)
        let text = words.text(value, type: type)
        let isAmbiguous = values.values.contains { $0 != value && words.text($0, type: type) == text }
        guard isAmbiguous, let text, let exact = words.exact(value: value) else { return text }
        return "\(text) (\(exact))"
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
            let values = [(Version.local, mine), (.remote, theirs), (.base, base?.values[index])]
            return ConflictField(
                field: field,
                values: values.compactMap { version, value in value.map { (version, $0) } }
            )
        }
    }

    init(field: FieldDescriptor, values: [(Version, FieldValue)]) {
        (name, title, type) = (field.name, field.label, field.type)
        self.values = Dictionary(uniqueKeysWithValues: values)
    }
}
