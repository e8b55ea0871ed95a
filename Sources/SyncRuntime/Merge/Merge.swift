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
    /// Whether plain versions meet by the short way (`plainly`). The long one, which is for all, is what it must equal.
    package var meetsPlainly = true
    /// Whether the left side stays where the strategy does not decide.
    var keepsLeft = false

    package init(_ descriptor: EntityDescriptor, joinsAgreedTimes: Bool = true) {
        self.descriptor = descriptor
        self.joinsAgreedTimes = joinsAgreedTimes
    }

    /// The version that both make. `localOnly` values are those of `left`.
    package func callAsFunction(_ left: SyncRecord, _ right: SyncRecord) -> MergeOutcome {
        guard left.stamp.hasSiblings || right.stamp.hasSiblings else { return ruled(left, right) }
        return ruled(applyingRules(to: left), applyingRules(to: right))
    }

    /// What comes of two versions that are as the rules here have them.
    private func ruled(_ left: SyncRecord, _ right: SyncRecord) -> MergeOutcome {
        if right.stamp.vector.covers(left.stamp.vector), right.stamp.vector != left.stamp.vector {
            return .merged(keepingLocalOnly(right, of: left), lost: [])
        }
        if left.stamp.vector.covers(right.stamp.vector), right.stamp.vector != left.stamp.vector {
            return .merged(left, lost: [])
        }
        if let result = concluding(left, right) { return .merged(result, lost: []) }
        if descriptor.strategy == .preserveLocal, left.isDeleted || right.isDeleted {
            return left.isDeleted && right.isDeleted ? .merged(greater(left, right), lost: []) : .conflict
        }
        if isAgreement(left, right) { return .merged(agreed(left, right), lost: []) }
        return unitByUnit(left, right, joinsTimes: descriptor.meetsByField)
    }

    /// Whether both say the same, whatever their times and marks.
    package func isAgreement(_ left: SyncRecord, _ right: SyncRecord) -> Bool {
        left.isDeleted && right.isDeleted
            || descriptor.hasSameContent(left, right)
    }

    /// Two versions with the same content: the earlier created, the later updated, all that either has seen.
    package func agreed(_ left: SyncRecord, _ right: SyncRecord) -> SyncRecord {
        let joinsTimes = joinsAgreedTimes || descriptor.meetsByField
        guard case .merged(let result, _) = unitByUnit(left, right, joinsTimes: joinsTimes) else {
            return greater(left, right)
        }
        return result
    }

    /// The greater version as a whole, having seen what both have seen.
    func greater(_ left: SyncRecord, _ right: SyncRecord) -> SyncRecord {
        var result = isGreater(left, right) ? left : keepingLocalOnly(right, of: left)
        result.stamp.vector = left.stamp.vector.union(right.stamp.vector)
        result.stamp = result.stamp.caused(by: cause(left, right, isDeleted: result.isDeleted))
        return result
    }

    func unitByUnit(_ left: SyncRecord, _ right: SyncRecord, joinsTimes: Bool) -> MergeOutcome {
        if meetsPlainly, let outcome = plainly(left, right, joinsTimes: joinsTimes) { return outcome }
        let strangers = Strangers(left, descriptor).union(Strangers(right, descriptor))
        let one = MergeState(left, descriptor, strangers)
        let two = MergeState(right, descriptor, strangers)
        let context = UnitMerge(left: left.stamp.vector, right: right.stamp.vector, keepsLeft: keepsLeft)
        var state = one
        state.origin = context.mark(one.origin, two.origin)
        var result = MergeDraft(isGreater(left, right) ? left : keepingLocalOnly(right, of: left))
        result.record.unknown = []
        var losers: Set<Bool> = []  // true: a value of `left` was lost
        let isGone = isGone(left, one, right, two, context)
        for (position, unit) in descriptor.layout.marked.enumerated() {
            if let mine = one.elements[position], let theirs = two.elements[position] {
                let elements = context.elements(mine, theirs)
                state.elements[position] = elements
                let presence = context.unit(one.units[position], two.units[position], .lastWriteWins)
                state.units[position] = presence?.values ?? one.units[position]
                if !elements.isEmpty {
                    result.record.values[unit.fields[0]] = SetElements.write(elements.keys)
                } else if let shown = state.units[position].first {
                    result.record.values[unit.fields[0]] = shown.values[0]
                }
                continue
            }
            // NB: nobody is asked about the parts of a record that is deleted whatever they answer.
            let rule = isGone && unit.rule == .preserveLocal ? .lastWriteWins : unit.rule
            guard let merged = context.unit(one.units[position], two.units[position], rule) else {
                return .conflict
            }
            state.units[position] = merged.values
            // NB: nobody misses the later of two times of creation.
            let isCreation = position >= descriptor.layout.units.count
            if let lostLeft = merged.lostLeft, !isCreation { losers.insert(lostLeft) }
            // Where nobody has said anything the field stays absent, or as its default has it.
            guard let shown = merged.values.first else { continue }
            for (index, field) in unit.fields.enumerated() {
                result.record.values[field] = shown.values[index]
            }
            if unit.holdsUnknown { result.record.unknown = shown.unknown }
        }
        let defaultRule = isGone ? .lastWriteWins : descriptor.defaultRule
        guard meetStrangers(&result, &state, one, two, context, defaultRule, &losers) else {
            return .conflict
        }
        settleLife(&result, &state, (one, left), (two, right), context, &losers)
        if joinsTimes { joinTimes(&result, left, right) }
        // NB: a set is walked in no order, and the journal shall be the same on every run.
        let lost = [(true, left), (false, right)].filter { losers.contains($0.0) }.map(\.1)
        let isLoss = !left.isDeleted || !right.isDeleted
        return .merged(stamped(result, state, left, right), lost: isLoss ? lost : [])
    }

    /// Brings members together that the schema does not know and that meet on their own. False for a conflict.
    private func meetStrangers(
        _ result: inout MergeDraft,
        _ state: inout MergeState,
        _ one: MergeState,
        _ two: MergeState,
        _ context: UnitMerge,
        _ rule: MergeRule,
        _ losers: inout Set<Bool>
    ) -> Bool {
        for (name, mine) in one.strangers {
            guard let theirs = two.strangers[name] else { continue }
            guard let merged = context.stranger(mine, theirs, rule) else { return false }
            state.strangers[name] = merged.stranger
            if let lostLeft = merged.lostLeft { losers.insert(lostLeft) }
        }
        result.record.unknown += state.strangers.compactMap { name, stranger in
            stranger.json.map { UnknownField(path: name, json: $0) }
        }
        result.record.unknown.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        return true
    }

    /// Whether two versions come to a tombstone. See `settleLife`.
    private func isGone(
        _ left: SyncRecord,
        _ one: MergeState,
        _ right: SyncRecord,
        _ two: MergeState,
        _ context: UnitMerge
    ) -> Bool {
        if descriptor.strategy == .setUnion { return context.tokens(one.life, two.life).isEmpty }
        return isGreater(left, right) ? left.isDeleted : right.isDeleted
    }

    /// Decides whether the result is there at all: by add-wins tokens under set-union, else by the greater mark.
    private func settleLife(
        _ result: inout MergeDraft,
        _ state: inout MergeState,
        _ one: (MergeState, SyncRecord),
        _ two: (MergeState, SyncRecord),
        _ context: UnitMerge,
        _ losers: inout Set<Bool>
    ) {
        let (left, right) = (one.1, two.1)
        if descriptor.strategy == .setUnion {
            // NB: a record that each side has by an edit which the other saw deleted goes, as an element of a set does:
            // only so does every order of merging three versions give one result.
            state.life = context.tokens(one.0.life, two.0.life)
            result.isDeleted = state.life.isEmpty
        }
        result.mergedInto =
            result.isDeleted ? (result.mergedInto ?? left.mergedInto ?? right.mergedInto) : nil
        guard left.isDeleted != right.isDeleted else {
            if result.isDeleted, !left.isDeleted {
                mirrorDelete(&result, max(left.stamp.mark, right.stamp.mark))
            }
            return
        }
        let keepsLeft = left.isDeleted == result.isDeleted
        // NB: under set-union a delete that lost took nothing away, so there is nothing to bring back.
        if result.isDeleted || descriptor.strategy != .setUnion { losers.insert(!keepsLeft) }
        if let mirror = descriptor.layout.deleted {
            result.record.values[mirror] = (keepsLeft ? left : right).record.values[mirror]
        }
    }

    /// Sets the field that mirrors the tombstone where no side had one.
    private func mirrorDelete(_ result: inout MergeDraft, _ mark: EditMark) {
        guard let mirror = descriptor.layout.deleted else { return }
        let isFlag = descriptor.fields[mirror].type == .boolean
        result.record.values[mirror] = isFlag ? .boolean(true) : .timestamp(mark.time)
    }

    /// NB: a tombstone travels without its values, so it is updated by the time of its mark, on every device.
    func joinTimes(_ result: inout MergeDraft, _ left: SyncRecord, _ right: SyncRecord) {
        func updated(_ version: SyncRecord, _ field: Int) -> FieldValue? {
            version.isDeleted ? .timestamp(version.stamp.mark.time) : version.record.values[field]
        }
        let layout = descriptor.layout
        if let created = layout.created, layout.marked.count == layout.units.count {
            result.record.values[created] = earlier(left.record.values[created], right.record.values[created])
        }
        if let field = layout.updated, !(left.isDeleted && right.isDeleted) {
            result.record.values[field] = later(updated(left, field), updated(right, field))
        }
    }

    private func stamped(
        _ result: MergeDraft,
        _ state: MergeState,
        _ left: SyncRecord,
        _ right: SyncRecord
    ) -> SyncRecord {
        // NB: a draft has not seen the other side: a person has to decide yet.
        let mark = keepsLeft ? left.stamp.mark : joinedMark(left, right, isDeleted: result.isDeleted)
        let vector = keepsLeft ? left.stamp.vector : left.stamp.vector.union(right.stamp.vector)
        let stamp = Stamp(
            mark: mark,
            vector: vector,
            detail: state.detail(
                mark: mark,
                of: result.record,
                isDeleted: result.isDeleted,
                descriptor
            )
        ).caused(by: cause(left, right, isDeleted: result.isDeleted))
        return result.version(stamp)
    }

    /// A delete of its own right stands whatever becomes of a parent; of two that follow from parents, the later names its.
    private func cause(_ left: SyncRecord, _ right: SyncRecord, isDeleted: Bool) -> DeleteCause? {
        guard isDeleted else { return nil }
        let tombstones = [left, right].filter(\.isDeleted)
        guard tombstones.allSatisfy({ $0.stamp.detail?.cause != nil }) else { return nil }
        return tombstones.max { $0.stamp.mark < $1.stamp.mark }?.stamp.detail?.cause
    }
}

extension Merge {
    /// Versions as the rules here have them.
    package func applyingRules(to versions: [SyncRecord]) -> [SyncRecord] {
        for index in versions.indices where versions[index].stamp.hasSiblings {
            return versions.map { applyingRules(to: $0) }
        }
        return versions
    }

    /// A version as the rules here have it, after apps that do not know the rules have merged it: such an app shows the
    /// later of two values and keeps the other beside it. The same version where that comes to the same.
    package func applyingRules(to version: SyncRecord) -> SyncRecord {
        guard version.stamp.hasSiblings else { return version }
        let result = normalized(version)
        let fits = result.isDeleted || RecordCheck.fits(result.record, descriptor)
        return result.record == version.record || !fits ? version : result
    }

    /// A version in the form that merging gives it: what the rules show, and the marks that they need.
    package func normalized(_ version: SyncRecord) -> SyncRecord {
        var state = MergeState(version, descriptor)
        var record = version.record
        for (name, stranger) in state.strangers where stranger.isWhole && stranger.siblings.count > 1 {
            // Who does not know the rule shows the latest, so that all who do not know it show the same.
            let latest = stranger.latestFirst(stranger.values)
            state.strangers[name] = latest
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
        let mark = version.stamp.mark
        var stamp = version.stamp
        stamp.detail = state.detail(
            mark: mark,
            of: record,
            isDeleted: version.isDeleted,
            descriptor
        )
        var result = version
        result.record = record
        result.stamp = stamp.caused(by: version.stamp.detail?.cause)
        return result
    }

    /// The total order of versions: mark, then content.
    package func isGreater(_ left: SyncRecord, _ right: SyncRecord) -> Bool {
        if left.stamp.mark != right.stamp.mark { return left.stamp.mark > right.stamp.mark }
        // NB: one edit with two times of creation was joined to the earlier one by who saw another with the same
        // content; who saw that replace this one has no other. So it is in the order of heads.
        if let created = descriptor.layout.created,
            left.record.values[created] != right.record.values[created]
        {
            return ValueOrder.isLess(left.record.values[created], right.record.values[created])
        }
        return descriptor.contentDigest(left) > descriptor.contentDigest(right)
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

    private func earlier(_ left: FieldValue?, _ right: FieldValue?) -> FieldValue? {
        switch (left, right) {
        case (.timestamp(let one)?, .timestamp(let two)?): .timestamp(min(one, two))
        case (.timestamp?, _): left
        default: right ?? left
        }
    }

    private func later(_ left: FieldValue?, _ right: FieldValue?) -> FieldValue? {
        switch (left, right) {
        case (.timestamp(let one)?, .timestamp(let two)?): .timestamp(max(one, two))
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
    func version(_ stamp: Stamp) -> SyncRecord {
        SyncRecord(
            entity: entity,
            key: key,
            record: record,
            isDeleted: isDeleted,
            mergedInto: mergedInto,
            stamp: stamp
        )
    }
}
