import SyncCore
import SyncRuntime

/// Calls the planning, and checks the result of every plan.
extension PlanWorld {
    /// Plans an incoming version, as a pull does.
    func plan(_ device: Int, key: Int, incoming: SyncRecord) throws {
        let before = devices[device].records[key].recordState
        log(device: device, text: "takes\(name(key: key)): \(words(version: incoming))")
        let plan = planned(device: device, recordState: before, incoming: incoming)
        guard plan == planned(device: device, recordState: before, incoming: incoming) else {
            throw violation(
                rule: "one-plan",
                device: device,
                text: "The same versions met twice, and two plans came of it."
            )
        }
        if plan.outcome != .known {
            log(
                device: device,
                text:
                    "so it is \(plan.outcome.rawValue)\(plan.losses.isEmpty ? "" : ", and something is lost")"
            )
        }
        if flaw == nil { try checkHeader(device: device, before: before, plan: plan, incoming: incoming) }
        try check(device: device, key: key, before: before, plan: plan, incoming: incoming)
        for loss in plan.losses { note(loss, device: device) }
        for case .displace(let version) in plan.effects { devices[device].records[key].displaced = version }
        devices[device].records[key].recordState = plan.state
        mix(plan.state)
        try checkRepeated(device, plan: plan, incoming: incoming)
    }

    private func planned(device: Int, recordState: RecordState, incoming: SyncRecord) -> Reconciliation {
        plans += 1
        var plan = tables[device](recordState, on: .remote(incoming))
        flaw?.onPlan(&plan, recordState, incoming, device)
        return plan
    }

    func note(_ loss: Loss, device: Int) {
        log(device: device, text: "keeps in its journal: \(words(version: loss.lost))")
        if !devices[device].lost.contains(loss.lost) { devices[device].lost.append(loss.lost) }
    }

    func mix(_ recordState: RecordState) {
        guard let local = recordState.local else { return mix(1) }
        mix(UInt64(bitPattern: local.version.metadata.editTimestamp.time.microseconds))
        mix(
            local.version.metadata.editTimestamp.device.bits << 32
                ^ UInt64(bitPattern: local.version.metadata.editTimestamp.sequence)
        )
        mix(UInt64(bitPattern: local.state.rawValue) << 1 | (local.version.isDeleted ? 1 : 0))
        mix(UInt64(recordState.heads.count))
    }

    /// Checks that a decision by the header alone equals the decision by the values.
    private func checkHeader(
        device: Int,
        before: RecordState,
        plan: Reconciliation,
        incoming: SyncRecord
    ) throws {
        let header = before.local.map {
            RecordHeader(
                state: $0.state,
                visibility: $0.visibility,
                hasHeads: !before.heads.isEmpty,
                metadata: $0.version.metadata
            )
        }
        let isAgreed =
            switch Reconcile.decide(
                header: header,
                incoming: Change.Header(incoming),
                metadata: incoming.metadata,
                remote: story.place.remote
            ) {
            case nil: true
            case .known: plan.state == before && plan.losses.isEmpty
            case .taken:
                plan.state.local?.state == .synced && plan.state.heads.isEmpty && plan.losses.isEmpty
                    && plan.state.local?.version.metadata == incoming.metadata
                    && !plan.effects.contains { if case .displace = $0 { true } else { false } }
            }
        guard !isAgreed else { return }
        throw violation(
            rule: "one-plan",
            device: device,
            text: "The header of the record alone decides otherwise than its values do."
        )
    }

    /// Checks that the same version again changes and loses nothing.
    private func checkRepeated(_ device: Int, plan: Reconciliation, incoming: SyncRecord) throws {
        let again = planned(device: device, recordState: plan.state, incoming: incoming)
        if again.state != plan.state {
            throw violation(
                rule: "repeats-change-nothing",
                device: device,
                text:
                    "The version came once more, and the record became \(words(recordState: again.state)) instead of \(words(recordState: plan.state))."
            )
        }
        if let loss = again.losses.first(where: { !devices[device].lost.contains($0.lost) }) {
            throw violation(
                rule: "repeats-change-nothing",
                device: device,
                text:
                    "The version came once more, and only then something was lost: \(words(version: loss.lost))."
            )
        }
    }

    func words(recordState: RecordState) -> String {
        guard let local = recordState.local else { return "unknown" }
        let heads = recordState.heads.isEmpty ? "" : ", \(recordState.heads.count) heads"
        return "\(local.state) \(words(version: local.version))\(heads)"
    }

    // MARK: After a plan

    func check(
        device: Int,
        key: Int,
        before: RecordState,
        plan: Reconciliation,
        incoming: SyncRecord
    ) throws {
        guard let after = plan.state.local else {
            throw violation(
                rule: "nothing-lost",
                device: device,
                text: "The record is gone after a version of it came."
            )
        }
        let seen = Self.seen(recordState: plan.state)
        guard seen.covers(incoming.metadata.vector) else {
            throw violation(
                rule: "keeps-what-it-saw",
                device: device,
                text: "What is kept has not seen the version that came."
            )
        }
        let remote = story.place.remote
        devices[device].records[key].taken.formUnion(incoming.metadata.vector)
        // NB: a server may purge a version, and an unsent local edit that lost is only in the journal.
        if remote == .forked, !seen.covers(devices[device].records[key].taken) {
            throw violation(
                rule: "keeps-what-it-saw",
                device: device,
                text: "What is kept has not seen all that came before."
            )
        }
        guard let local = before.local else { return }
        for index in descriptor.layout.localOnly
        where local.version.record.values[index] != after.version.record.values[index] {
            throw violation(
                rule: "stays-here",
                device: device,
                text:
                    "'\(descriptor.fields[index].name)' stays on the device, and another's version changed it."
            )
        }
        try checkLife(device, key: key, local: local, recordState: plan.state)
        try checkShown(device, before: before, local: local, after: after, plan: plan, incoming: incoming)
        if plan.outcome == .merged || plan.outcome == .agreed {
            try checkFits(device, version: after.version)
        }
        if remote == .linear {
            try checkConflict(device, before: before, local: local, after: after, incoming: incoming)
        }
    }

    /// The combined version vector of a record's versions.
    private static func seen(recordState: RecordState) -> VersionVector {
        var vector = recordState.local?.version.metadata.vector ?? VersionVector()
        for other in [recordState.base, recordState.remote, recordState.agreed] {
            if let other { vector.formUnion(other.metadata.vector) }
        }
        for head in recordState.heads { vector.formUnion(head.metadata.vector) }
        return vector
    }

    /// Checks that a tombstone is replaced only by an edit that the delete had not seen, possibly as a side
    /// of a conflict.
    private func checkLife(
        _ device: Int,
        key: Int,
        local: LocalRecord,
        recordState: RecordState
    ) throws {
        guard local.version.isDeleted, let after = recordState.local, !after.version.isDeleted else { return }
        // A conflict shows the local side, which has not seen the other one.
        let isSide = recordState.heads.contains {
            !$0.isDeleted && $0.metadata.editTimestamp == after.version.metadata.editTimestamp
        }
        let seen = isSide ? Self.seen(recordState: recordState) : after.version.metadata.vector
        let isRevived = oracle.acts.contains { act in
            // An edit of a record that was merged into this one has another device id here.
            let editTimestamp =
                act.key == key
                ? act.editTimestamp
                : act.editTimestamp.moved(from: material.keys[act.key].key, entity: descriptor.name)
            return !act.isDelete && seen.covers(editTimestamp)
                && !local.version.metadata.vector.covers(editTimestamp)
        }
        // A conclusion that nobody has seen gives way to what another device made of the same conclusion, which had
        // seen less. The record is merged away anew, which the rest of the story checks.
        let isOwnConclusion = local.version.isMergeTombstone && local.state == .pending
        guard isRevived || isOwnConclusion else {
            throw violation(
                rule: "deletes-stay",
                device: device,
                text: "The record is back, though nobody made it anew."
            )
        }
    }

    /// Checks for `preserve-local` that an incoming version does not change a local write that is still
    /// shown, before a person has seen it and decided.
    private func checkShown(
        _ device: Int,
        before: RecordState,
        local: LocalRecord,
        after: LocalRecord,
        plan: Reconciliation,
        incoming: SyncRecord
    ) throws {
        // A version that agrees with another one only waits to join the times, and has no content of its own.
        guard descriptor.strategy == .preserveLocal, local.state != .synced, before.agreed == nil else {
            return
        }
        let mine = local.version
        // A conclusion was written by nobody, so an edit made meanwhile goes on top of it.
        if mine.isConclusion { return }
        // Without the remote's answer, the device does not know which parts are already decided.
        if before.base == nil {
            let remote = [plan.state.base, plan.state.remote, incoming].compactMap { $0 }
            if remote.contains(where: { $0.metadata.vector[mine.metadata.editTimestamp.device] > 0 }) {
                return
            }
        }
        let isSeen = plan.state.heads.isEmpty && after.state == .synced
        let isDecided = isSeen && after.version.metadata.vector.covers(mine.metadata.vector)
        if isDecided, after.version.metadata.editTimestamp != mine.metadata.editTimestamp,
            plan.outcome != .merged
        {
            return
        }
        // Parts that the other version has seen are decided, even without an answer. A conflict also shows
        // values of other devices.
        let written = decided(version: mine, over: before.base).filter {
            Self.isUnseen(unit: $0, of: mine, by: incoming)
                && isWrittenHere(unit: $0, version: mine, device: device)
        }
        if written.isEmpty, before.base?.isDeleted == mine.isDeleted { return }
        let isShown =
            mine.isDeleted == after.version.isDeleted
            && (mine.isDeleted || written.allSatisfy { Self.holds(unit: $0, lhs: mine, rhs: after.version) })
        guard isShown || !isLocallyHeld(mine: mine, recordState: plan.state) else {
            throw violation(
                rule: "shown-until-decided",
                device: device,
                text:
                    "\(words(version: mine)) was written here, and is shown no more: \(words(version: after.version))."
            )
        }
    }

    /// Whether no incoming version has seen the edit.
    private func isLocallyHeld(mine: SyncRecord, recordState: RecordState) -> Bool {
        let others = recordState.heads + [recordState.local?.version].compactMap { $0 }
        return !others.contains {
            $0.metadata.vector.covers(mine.metadata.vector)
                && $0.metadata.editTimestamp.device != mine.metadata.editTimestamp.device
        }
    }

    /// The units that a person decided on in a version, and did not merely take from its base.
    private func decided(version: SyncRecord, over base: SyncRecord?) -> [MergeUnit] {
        descriptor.layout.units.filter { unit in
            guard unit.rule == .preserveLocal else { return false }
            // A field that is absent or has its default may have been written by nobody.
            if !unit.name.isEmpty, let field = unit.fields.first,
                version.record.values[field] == nil
                    || version.record.values[field] == descriptor.layout.defaults[field]
            {
                return false
            }
            guard let base, base.isDeleted == version.isDeleted else { return true }
            return !Self.holds(unit: unit, lhs: version, rhs: base)
        }
    }

    /// Whether the other version has not seen the edit that set a unit's value.
    private static func isUnseen(unit: MergeUnit, of version: SyncRecord, by other: SyncRecord) -> Bool {
        editTimestamps(of: unit, in: version).contains { !other.metadata.vector.covers($0) }
    }

    /// Whether this device set a unit's value, under this key or one that was merged into it.
    private func isWrittenHere(unit: MergeUnit, version: SyncRecord, device: Int) -> Bool {
        let id = devices[device].id
        let own = [id] + material.keys.map { id.moved(from: $0.key, entity: descriptor.name) }
        return Self.editTimestamps(of: unit, in: version).contains { own.contains($0.device) }
    }

    private static func editTimestamps(of unit: MergeUnit, in version: SyncRecord) -> [EditTimestamp] {
        let detail = version.metadata.detail
        return detail?.units[unit.name]?.map(\.editTimestamp) ?? [
            detail?.origin ?? version.metadata.editTimestamp
        ]
    }

    private static func holds(unit: MergeUnit, lhs: SyncRecord, rhs: SyncRecord) -> Bool {
        unit.fields.allSatisfy { lhs.record.values[$0] == rhs.record.values[$0] }
    }

    /// Checks that an unseen server version is a conflict under `preserve-local`, unless it agrees with the
    /// edit or with its base.
    private func checkConflict(
        _ device: Int,
        before: RecordState,
        local: LocalRecord,
        after: LocalRecord,
        incoming: SyncRecord
    ) throws {
        guard descriptor.strategy == .preserveLocal, local.state != .synced, before.agreed == nil else {
            return
        }
        let (mine, theirs) = (local.version, incoming)
        // A conclusion is not an edit, on either side.
        if mine.isConclusion || theirs.isConclusion { return }
        if before.base == nil, theirs.metadata.vector[mine.metadata.editTimestamp.device] > 0 { return }
        guard !mine.metadata.vector.covers(theirs.metadata.vector),
            !theirs.metadata.vector.covers(mine.metadata.vector)
        else { return }
        if mine.isDeleted && theirs.isDeleted { return }
        if mine.isDeleted == theirs.isDeleted {
            let both = decided(version: theirs, over: before.base)
            let isClash = decided(version: mine, over: before.base).contains { unit in
                both.contains(unit) && !Self.holds(unit: unit, lhs: mine, rhs: theirs)
                    && Self.isUnseen(unit: unit, of: theirs, by: mine)
                    && Self.isUnseen(unit: unit, of: mine, by: theirs)
            }
            if !isClash { return }
        } else if let base = before.base {
            let isOneSided = [mine, theirs].contains { version in
                version.isDeleted == base.isDeleted
                    && (base.isDeleted || decided(version: version, over: base).isEmpty)
            }
            if isOneSided { return }
        }
        if after.state != .conflict {
            throw violation(
                rule: "shown-until-decided",
                device: device,
                text: "Two edits that differ met, and nobody is asked."
            )
        }
    }

    func checkFits(_ device: Int, version: SyncRecord) throws {
        guard !version.isDeleted,
            let error = RecordCheck.fieldError(record: version.record, descriptor: descriptor)
        else {
            return
        }
        throw violation(
            rule: "fits-schema",
            device: device,
            text: "'\(error.field)' does not fit: \(error.message)"
        )
    }
}
