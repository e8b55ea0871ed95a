package import SyncCore

/// What comes of two versions of one record of which neither has seen the other.
package enum MergeOutcome: Sendable, Equatable {
    /// One version, the same on every device. `lost` holds the versions of which some value did not survive.
    case merged(SyncRecord, lost: [SyncRecord])
    /// The strategy will not decide: a person must.
    case conflict
}

/// Brings two versions together. Pure: no clock, no device, no preference for "self".
///
/// For every strategy but `preserve-local` the result is the same in any order and any grouping
/// (`mergeIsCommutative`, `mergeIsAssociative`, `mergeIsIdempotent`).
package struct Merge: Sendable {
    let descriptor: EntityDescriptor
    /// Whether versions that agree take the earlier created and the later updated, though they meet as a whole.
    var joinsAgreedTimes = true
    /// Whether the left side stays where the strategy does not decide.
    var keepsLeft = false

    package init(descriptor: EntityDescriptor, joinsAgreedTimes: Bool = true) {
        self.descriptor = descriptor
        self.joinsAgreedTimes = joinsAgreedTimes
    }

    /// The version that both make. `localOnly` values are those of `left`.
    package func callAsFunction(_ left: SyncRecord, right: SyncRecord) -> MergeOutcome {
        guard left.metadata.hasSiblings || right.metadata.hasSiblings else {
            return ruled(left: left, right: right)
        }
        return ruled(left: applyingRules(to: left), right: applyingRules(to: right))
    }

    /// What comes of two versions that are as the rules here have them.
    private func ruled(left: SyncRecord, right: SyncRecord) -> MergeOutcome {
        if right.metadata.vector.covers(left.metadata.vector), right.metadata.vector != left.metadata.vector {
            return .merged(keepingLocalOnly(right, of: left), lost: [])
        }
        if left.metadata.vector.covers(right.metadata.vector), right.metadata.vector != left.metadata.vector {
            return .merged(left, lost: [])
        }
        if let result = concluding(left: left, right: right) { return .merged(result, lost: []) }
        if descriptor.strategy == .preserveLocal, left.isDeleted || right.isDeleted {
            return left.isDeleted && right.isDeleted
                ? .merged(greater(left: left, right: right), lost: []) : .conflict
        }
        if isAgreement(left: left, right: right) {
            return .merged(agreed(left: left, right: right), lost: [])
        }
        return unitByUnit(left: left, right: right, joinsTimes: descriptor.meetsByField)
    }

    /// Whether both say the same, whatever their times and marks.
    package func isAgreement(left: SyncRecord, right: SyncRecord) -> Bool {
        left.isDeleted && right.isDeleted
            || descriptor.hasSameContent(left: left, right: right)
    }

    /// Two versions with the same content: the earlier created, the later updated, all that either has seen.
    package func agreed(left: SyncRecord, right: SyncRecord) -> SyncRecord {
        let joinsTimes = joinsAgreedTimes || descriptor.meetsByField
        guard case .merged(let result, _) = unitByUnit(left: left, right: right, joinsTimes: joinsTimes)
        else {
            return greater(left: left, right: right)
        }
        return result
    }

    /// The greater version as a whole, having seen what both have seen.
    func greater(left: SyncRecord, right: SyncRecord) -> SyncRecord {
        var result = isGreater(left: left, right: right) ? left : keepingLocalOnly(right, of: left)
        result.metadata.vector = left.metadata.vector.union(right.metadata.vector)
        result.metadata = result.metadata.caused(
            by: cause(left: left, right: right, isDeleted: result.isDeleted)
        )
        return result
    }

    func unitByUnit(left: SyncRecord, right: SyncRecord, joinsTimes: Bool) -> MergeOutcome {
        var units = UnitwiseMerge(merge: self, left: left, right: right)
        guard units.mergeUnits(), units.mergeUnknownFields() else { return .conflict }
        units.decideDeletion()
        if joinsTimes { joinTimes(&units.result, left: left, right: right) }
        return .merged(
            withMetadata(result: units.result, state: units.state, left: left, right: right),
            lost: units.lost
        )
    }

    /// NB: a tombstone travels without its values, so it is updated by the time of its mark, on every device.
    func joinTimes(_ result: inout MergeDraft, left: SyncRecord, right: SyncRecord) {
        func updated(version: SyncRecord, field: Int) -> FieldValue? {
            version.isDeleted ? .timestamp(version.metadata.editTimestamp.time) : version.record.values[field]
        }
        let layout = descriptor.layout
        if let created = layout.created, layout.marked.count == layout.units.count {
            result.record.values[created] = earlier(
                left: left.record.values[created],
                right: right.record.values[created]
            )
        }
        if let field = layout.updated, !(left.isDeleted && right.isDeleted) {
            result.record.values[field] = later(
                left: updated(version: left, field: field),
                right: updated(version: right, field: field)
            )
        }
    }

    private func withMetadata(
        result: MergeDraft,
        state: MergeState,
        left: SyncRecord,
        right: SyncRecord
    ) -> SyncRecord {
        // NB: a draft has not seen the other side: a person has to decide yet.
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

    /// A delete of its own right stands whatever becomes of a parent; of two that follow from parents, the later names its.
    private func cause(left: SyncRecord, right: SyncRecord, isDeleted: Bool) -> DeleteCause? {
        guard isDeleted else { return nil }
        let tombstones = [left, right].filter(\.isDeleted)
        guard tombstones.allSatisfy({ $0.metadata.detail?.cause != nil }) else { return nil }
        return tombstones.max { $0.metadata.editTimestamp < $1.metadata.editTimestamp }?.metadata.detail?
            .cause
    }
}

extension Merge {
    /// Versions as the rules here have them.
    package func applyingRules(to versions: [SyncRecord]) -> [SyncRecord] {
        for index in versions.indices where versions[index].metadata.hasSiblings {
            return versions.map { applyingRules(to: $0) }
        }
        return versions
    }

    /// A version as the rules here have it, after apps that do not know the rules have merged it: such an app shows the
    /// later of two values and keeps the other beside it. The same version where that comes to the same.
    package func applyingRules(to version: SyncRecord) -> SyncRecord {
        guard version.metadata.hasSiblings else { return version }
        let result = normalized(version: version)
        let fits = result.isDeleted || RecordCheck.fits(record: result.record, descriptor: descriptor)
        return result.record == version.record || !fits ? version : result
    }

    /// A version in the form that merging gives it: what the rules show, and the marks that they need.
    package func normalized(version: SyncRecord) -> SyncRecord {
        var state = MergeState(version: version, descriptor: descriptor)
        var record = version.record
        for (name, unknownField) in state.unknownFields
        where unknownField.isWhole && unknownField.siblings.count > 1 {
            // Who does not know the rule shows the latest, so that all who do not know it show the same.
            let latest = unknownField.latestFirst(values: unknownField.values)
            state.unknownFields[name] = latest
            record.unknown.removeAll { $0.path.utf8.elementsEqual(name.utf8) }
            if let json = latest.json { record.unknown.append(UnknownField(path: name, json: json)) }
        }
        record.unknown.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        for (position, unit) in descriptor.layout.marked.enumerated() {
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
        return result
    }

    /// The total order of versions: mark, then content.
    package func isGreater(left: SyncRecord, right: SyncRecord) -> Bool {
        if left.metadata.editTimestamp != right.metadata.editTimestamp {
            return left.metadata.editTimestamp > right.metadata.editTimestamp
        }
        // NB: one edit with two times of creation was joined to the earlier one by who saw another with the same
        // content; who saw that replace this one has no other. So it is in the order of heads.
        if let created = descriptor.layout.created,
            left.record.values[created] != right.record.values[created]
        {
            return ValueOrder.isLess(left: left.record.values[created], right: right.record.values[created])
        }
        return descriptor.contentDigest(of: left) > descriptor.contentDigest(of: right)
    }

    /// `version` with the values that never leave this device.
    package func keepingLocalOnly(_ version: SyncRecord, of local: SyncRecord) -> SyncRecord {
        if descriptor.layout.localOnly.isEmpty { return version }
        var record = version.record
        for index in descriptor.layout.localOnly { record.values[index] = local.record.values[index] }
        var version = version
        version.record = record
        return version
    }

    private func earlier(left: FieldValue?, right: FieldValue?) -> FieldValue? {
        switch (left, right) {
        case (.timestamp(let lhs)?, .timestamp(let rhs)?): .timestamp(min(lhs, rhs))
        case (.timestamp?, _): left
        default: right ?? left
        }
    }

    private func later(left: FieldValue?, right: FieldValue?) -> FieldValue? {
        switch (left, right) {
        case (.timestamp(let lhs)?, .timestamp(let rhs)?): .timestamp(max(lhs, rhs))
        case (.timestamp?, _): left
        default: right ?? left
        }
    }
}

/// A version that two make, while it is made: a version itself would be made anew with every change.
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

    /// The version that it has become.
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
