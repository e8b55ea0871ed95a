package import SyncCore

/// The result of merging two versions of one record that have not seen each other.
package enum MergeOutcome: Sendable, Equatable {
    /// One version, the same on every device. `lost` holds the versions that lost a value.
    case merged(SyncRecord, lost: [SyncRecord])
    /// The strategy does not decide: a person must.
    case conflict
}

/// Merges two versions. Pure: no clock, no device, no preference for one side.
///
/// For every strategy except `preserve-local`, the result is the same in any order and any grouping
/// (`mergeIsCommutative`, `mergeIsAssociative`, `mergeIsIdempotent`).
package struct Merge: Sendable {
    let descriptor: EntityDescriptor
    /// Whether agreeing versions take the earlier `created` and the later `updated`, although they merge as a whole.
    var joinsAgreedTimes = true
    /// Whether the left side is kept if the strategy does not decide.
    var keepsLeft = false

    package init(descriptor: EntityDescriptor, joinsAgreedTimes: Bool = true) {
        self.descriptor = descriptor
        self.joinsAgreedTimes = joinsAgreedTimes
    }

    /// The merged version. `localOnly` values are those of `left`.
    package func callAsFunction(_ left: SyncRecord, right: SyncRecord) -> MergeOutcome {
        let hasSiblings = left.metadata.hasSiblings || right.metadata.hasSiblings
        let left = hasSiblings ? applyingRules(to: left) : left
        let right = hasSiblings ? applyingRules(to: right) : right
        if right.metadata.vector.covers(left.metadata.vector), right.metadata.vector != left.metadata.vector {
            return .merged(keepingLocalOnly(right, of: left), lost: [])
        }
        if left.metadata.vector.covers(right.metadata.vector), right.metadata.vector != left.metadata.vector {
            return .merged(left, lost: [])
        }
        if let result = concluding(left: left, right: right) { return .merged(result, lost: []) }
        if let result = overSeed(left: left, right: right) { return .merged(result, lost: []) }
        if descriptor.strategy == .preserveLocal, left.isDeleted || right.isDeleted {
            guard left.isDeleted, right.isDeleted else { return .conflict }
            let result = greater(left: left, right: right)
            return .merged(result, lost: lostToDelete(left: left, right: right, kept: result))
        }
        if isAgreement(left: left, right: right) {
            let result = agreed(left: left, right: right)
            return .merged(result, lost: lostToDelete(left: left, right: right, kept: result))
        }
        var units = VersionMerge(merge: self, left: left, right: right)
        return units.outcome(joinsTimes: descriptor.meetsByField)
    }

    /// What any version becomes beside one that nobody wrote: itself, also if it is a delete. Of two that nobody wrote,
    /// the greater one. Nil if a person wrote both.
    private func overSeed(left: SyncRecord, right: SyncRecord) -> SyncRecord? {
        let (isLeftSeed, isRightSeed) = (left.metadata.isSeed, right.metadata.isSeed)
        guard isLeftSeed || isRightSeed else { return nil }
        if isLeftSeed, isRightSeed { return greater(left: left, right: right) }
        var result = isLeftSeed ? keepingLocalOnly(right, of: left) : left
        result.metadata.vector = left.metadata.vector.union(right.metadata.vector)
        return result
    }

    /// Whether two versions have the same content, regardless of their timestamps.
    package func isAgreement(left: SyncRecord, right: SyncRecord) -> Bool {
        left.isDeleted && right.isDeleted
            || descriptor.hasSameContent(left: left, right: right)
    }

    /// Joins two versions with the same content: the earlier `created`, the later `updated`, and both vectors.
    package func agreed(left: SyncRecord, right: SyncRecord) -> SyncRecord {
        if let result = overSeed(left: left, right: right) { return result }
        let joinsTimes = joinsAgreedTimes || descriptor.meetsByField
        var units = VersionMerge(merge: self, left: left, right: right)
        guard case .merged(let result, _) = units.outcome(joinsTimes: joinsTimes) else {
            return greater(left: left, right: right)
        }
        return result
    }

    /// The last values of tombstones that followed from a parent's delete, if the kept tombstone has others: of two
    /// devices that deleted a record with its parent, one may have had an edit that the other had not seen.
    package func lostToDelete(left: SyncRecord, right: SyncRecord, kept: SyncRecord) -> [SyncRecord] {
        guard left.isDeleted, right.isDeleted, kept.mergedInto == nil else { return [] }
        let followed = [left, right].filter { $0.metadata.detail?.cause != nil }
        if followed.isEmpty { return [] }
        let content = descriptor.contentDigest(of: kept.beforeDelete(in: descriptor))
        return followed.compactMap { tombstone in
            let version = tombstone.beforeDelete(in: descriptor)
            return descriptor.contentDigest(of: version) == content ? nil : version
        }
    }

    /// The greater version as a whole, with both vectors.
    func greater(left: SyncRecord, right: SyncRecord) -> SyncRecord {
        var result = isGreater(left: left, right: right) ? left : keepingLocalOnly(right, of: left)
        result.metadata.vector = left.metadata.vector.union(right.metadata.vector)
        result.metadata = result.metadata.caused(
            by: cause(left: left, right: right, isDeleted: result.isDeleted)
        )
        return result
    }

    /// A tombstone travels without its values, so every device derives `updated` from its edit timestamp.
    func joinTimes(_ result: inout MergeDraft, left: SyncRecord, right: SyncRecord) {
        func updated(version: SyncRecord, field: Int) -> FieldValue? {
            version.isDeleted ? .timestamp(version.metadata.editTimestamp.time) : version.record.values[field]
        }
        let layout = descriptor.layout
        if let created = layout.created, layout.timestamped.count == layout.units.count {
            let (lhs, rhs) = (left.record.values[created], right.record.values[created])
            result.record.values[created] = time(left: lhs, right: rhs, by: min)
        }
        if let field = layout.updated, !(left.isDeleted && right.isDeleted) {
            let (lhs, rhs) = (updated(version: left, field: field), updated(version: right, field: field))
            result.record.values[field] = time(left: lhs, right: rhs, by: max)
        }
    }

    func withMetadata(
        result: MergeDraft,
        state: MergeState,
        left: SyncRecord,
        right: SyncRecord
    ) -> SyncRecord {
        // A draft has not seen the other side: a person has still to decide.
        let editTimestamp =
            keepsLeft
            ? left.metadata.editTimestamp
            : joinedTimestamp(left: left, right: right, isDeleted: result.isDeleted)
        let vector =
            keepsLeft ? left.metadata.vector : left.metadata.vector.union(right.metadata.vector)
        let metadata = VersionMetadata(
            editTimestamp: editTimestamp,
            vector: vector,
            detail: state.detail(
                editTimestamp: editTimestamp,
                of: result.record,
                isDeleted: result.isDeleted,
                descriptor: descriptor
            )
        ).caused(by: cause(left: left, right: right, isDeleted: result.isDeleted))
        return result.version(metadata: metadata)
    }

    /// The cause of a merged delete. A delete by a person needs no parent's; of two that follow from parents, the
    /// later counts.
    private func cause(left: SyncRecord, right: SyncRecord, isDeleted: Bool) -> DeleteCause? {
        guard isDeleted else { return nil }
        let tombstones = [left, right].filter(\.isDeleted)
        guard tombstones.allSatisfy({ $0.metadata.detail?.cause != nil }) else { return nil }
        return tombstones.max { $0.metadata.editTimestamp < $1.metadata.editTimestamp }?.metadata.detail?
            .cause
    }
}

extension Merge {
    /// Applies this device's rules to a version that apps without the rules have merged. Such an app shows the later
    /// of two values and keeps the other as a sibling. Returns the same version if the rules change nothing.
    package func applyingRules(to version: SyncRecord) -> SyncRecord {
        guard version.metadata.hasSiblings else { return version }
        let result = normalized(version: version)
        let fits = result.isDeleted || RecordCheck.fits(record: result.record, descriptor: descriptor)
        return result.record == version.record || !fits ? version : result
    }

    /// A version in the form that merging gives it: the values that the rules show, and the timestamps that they
    /// need.
    package func normalized(version: SyncRecord) -> SyncRecord {
        var state = MergeState(version: version, descriptor: descriptor)
        var record = version.record
        for (name, unknownField) in state.unknownFields
        where unknownField.isWhole && unknownField.siblings.count > 1 {
            // Devices that do not know the rule show the latest value, so that they all show the same.
            let latest = unknownField.latestFirst(values: unknownField.values)
            state.unknownFields[name] = latest
            record.unknown.removeAll { $0.path.utf8.elementsEqual(name.utf8) }
            if let json = latest.json { record.unknown.append(UnknownField(path: name, json: json)) }
        }
        record.unknown.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        for (position, unit) in descriptor.layout.timestamped.enumerated() {
            if let elements = state.elements[position], !elements.isEmpty {
                record.values[unit.fields[0]] = SetElements.write(elements.keys)
            } else if let shown = state.units[position].first {
                for (index, field) in unit.fields.enumerated() {
                    record.values[field] = shown.values[index]
                }
            }
        }
        let editTimestamp = version.metadata.editTimestamp
        var metadata = version.metadata
        metadata.detail = state.detail(
            editTimestamp: editTimestamp,
            of: record,
            isDeleted: version.isDeleted,
            descriptor: descriptor
        )
        var result = version
        result.record = record
        result.metadata = metadata.caused(by: version.metadata.detail?.cause)
            .clearing(version.metadata.cleared).moving(version.metadata.moved)
        return result
    }

    /// The total order of versions: by edit timestamp, then by content.
    package func isGreater(left: SyncRecord, right: SyncRecord) -> Bool {
        if left.metadata.editTimestamp != right.metadata.editTimestamp {
            return left.metadata.editTimestamp > right.metadata.editTimestamp
        }
        // One edit can have two creation times: a device that saw another version with the same content has joined it
        // to the earlier time. Heads are ordered in the same way.
        if let created = descriptor.layout.created,
            left.record.values[created] != right.record.values[created]
        {
            return ValueOrder.isLess(left: left.record.values[created], right: right.record.values[created])
        }
        return descriptor.contentDigest(of: left) > descriptor.contentDigest(of: right)
    }

    /// The version with the values that never leave this device.
    package func keepingLocalOnly(_ version: SyncRecord, of local: SyncRecord) -> SyncRecord {
        if descriptor.layout.localOnly.isEmpty { return version }
        var record = version.record
        for index in descriptor.layout.localOnly { record.values[index] = local.record.values[index] }
        var version = version
        version.record = record
        return version
    }

    /// The one of two times that `choose` prefers, or the only one.
    private func time(
        left: FieldValue?,
        right: FieldValue?,
        by choose: (Timestamp, Timestamp) -> Timestamp
    ) -> FieldValue? {
        switch (left, right) {
        case (.timestamp(let lhs)?, .timestamp(let rhs)?): .timestamp(choose(lhs, rhs))
        case (.timestamp?, _): left
        default: right ?? left
        }
    }
}

/// A version under construction. Changing this avoids making a new version for every change.
struct MergeDraft {
    var record: Record
    var isDeleted: Bool
    var mergedInto: RecordKey?
    private let entity: String
    private let key: RecordKey

    init(_ version: SyncRecord) {
        record = version.record
        isDeleted = version.isDeleted
        mergedInto = version.mergedInto
        entity = version.entity
        key = version.key
    }

    /// The finished version.
    func version(metadata: VersionMetadata) -> SyncRecord {
        SyncRecord(
            entity: entity,
            key: key,
            record: record,
            isDeleted: isDeleted,
            mergedInto: mergedInto,
            metadata: metadata
        )
    }
}
