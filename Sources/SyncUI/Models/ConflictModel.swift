public import EntitySync
public import Foundation
public import Observation
import SyncCore

/// A conflict that a person decides: both versions side by side, a choice for each field, and the merged record.
@Observable
@MainActor
public final class ConflictModel<Entity: SyncEntity>: Identifiable {
    /// Which version a field is taken from.
    public enum Side: String, Sendable, Hashable, CaseIterable {
        /// This device's version.
        case local
        /// The remote's version.
        case remote
    }

    /// The conflict.
    public let conflict: SyncConflict<Entity>
    /// The fields that differ and are to be decided, in the schema's order. If one version is deleted, all fields of the
    /// other.
    public let fields: [ConflictField]
    /// What people call the record: the text of its title field on this device, or else elsewhere; its key if it has none.
    public let title: String
    /// Whether the conflict is resolved.
    public private(set) var isResolved = false
    /// Why the last attempt to resolve it failed; nil if none did.
    public private(set) var error: SyncError?

    /// The choice of each field; this device's version where there is none.
    private var choices: [String: Side] = [:]

    /// The record's key.
    public nonisolated var id: RecordKey { conflict.id }

    /// Whether one version was deleted or cannot be read, so that only a whole version can be chosen.
    public var choosesWholeRecord: Bool { conflict.local == nil || conflict.remote == nil }

    /// Makes a model in which this device's version is chosen. Throws if a version does not fit its schema.
    public init(_ conflict: SyncConflict<Entity>) throws {
        self.conflict = conflict
        fields = try ConflictField.fields(of: conflict)
        let adapter = Entity.adapter
        let records = try [conflict.local, conflict.remote, conflict.base].map { try $0.map(adapter.record) }
        title =
            records.lazy.compactMap { $0.flatMap(adapter.descriptor.title(of:)) }.first ?? conflict.id.text
    }

    /// A version of a field in the words and formats of a person, as a sheet shows it.
    public func text(
        of field: ConflictField,
        side: Side,
        texts: ConflictTexts,
        locale: Locale,
        timeZone: TimeZone
    ) -> String {
        let (version, isDeleted, isReadable) =
            side == .local
            ? (ConflictField.Version.local, conflict.isLocalDeleted, conflict.local != nil)
            : (.remote, conflict.isRemoteDeleted, conflict.remote != nil)
        if isDeleted { return texts.deleted }
        if !isReadable { return texts.unreadable }
        return field.words(of: version, texts: texts, locale: locale, timeZone: timeZone) ?? texts.noValue
    }

    /// The version that a field is taken from.
    public func choice(of field: ConflictField) -> Side { choices[field.name] ?? .local }

    /// Chooses the version of a field; of all fields, if one version was deleted.
    public func choose(_ side: Side, for field: ConflictField) {
        if choosesWholeRecord { chooseAll(side) } else { choices[field.name] = side }
    }

    /// Chooses one version for all fields.
    public func chooseAll(_ side: Side) {
        choices = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, side) })
        wholeChoice = side
    }

    /// The version that was last chosen as a whole. It decides where there are no fields to choose from.
    private var wholeChoice = Side.local

    /// The record as it will be; nil if it will be deleted. Throws if a version does not fit its schema.
    public func merged() throws -> Entity? {
        guard let local = conflict.local, let remote = conflict.remote else {
            return wholeChoice == .local ? conflict.local : conflict.remote
        }
        let adapter = Entity.adapter
        var merged = try adapter.record(local)
        let other = try adapter.record(remote)
        for field in fields where choice(of: field) == .remote {
            guard let index = adapter.descriptor.layout.position(of: field.name) else { continue }
            merged.values[index] = other.values[index]
        }
        return try adapter.model(merged)
    }

    /// What the choices amount to. Throws if a version does not fit its schema.
    public func resolution() throws -> ConflictResolution<Entity> {
        guard !choosesWholeRecord, !fields.isEmpty else {
            return wholeChoice == .local ? .local : .remote
        }
        let chosen = Set(fields.map { choice(of: $0) })
        if chosen == [.local] { return .local }
        // Where fields merge separately, this device already has the remote's other fields.
        if chosen == [.remote], conflict.fields.isEmpty { return .remote }
        return try merged().map { .value($0) } ?? .local
    }

    /// Resolves the conflict as chosen. Returns whether it is resolved; otherwise `error` says why not.
    @discardableResult
    public func resolve(in space: SyncSpace) -> Bool {
        do {
            try space.collection(Entity.self).resolve(conflict, with: resolution())
            (isResolved, error) = (true, nil)
        } catch { self.error = SyncError(shown: error) }
        return isResolved
    }
}
