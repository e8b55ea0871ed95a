import SyncCore
import SyncRuntime

/// Where planning is called, and what holds after every plan.
extension PlanWorld {
    /// Plans a version that came, as `Puller.plan` does.
    func plan(_ device: Int, _ key: Int, _ incoming: SyncRecord) throws {
        keepDisplaced(device, key, incoming)
        let before = devices[device].records[key].trees
        tell(device, "takes\(name(key)): \(words(incoming))")
        let plan = planned(device, before, incoming)
        guard plan == planned(device, before, incoming) else {
            throw violation("one-plan", device, "The same versions met twice, and two plans came of it.")
        }
        if plan.outcome != .known {
            tell(
                device,
                "so it is \(plan.outcome.rawValue)\(plan.losses.isEmpty ? "" : ", and something is lost")"
            )
        }
        try check(device, key, before, plan, incoming)
        for loss in plan.losses { note(loss, device) }
        devices[device].records[key].trees = plan.trees
        mix(plan.trees)
        try checkRepeated(device, plan, incoming)
    }

    private func planned(_ device: Int, _ trees: Planner.Trees, _ incoming: SyncRecord) -> Planner.Plan {
        plans += 1
        let isForgotten = story.place == .server && descriptor.strategy != .preserveLocal
        let before = isForgotten ? trees.forgotten(by: incoming) : trees
        var plan = planners[device].plan(before, incoming: incoming)
        flaw?.onPlan(&plan, before, incoming, device)
        return plan
    }

    func note(_ loss: Planner.Loss, _ device: Int) {
        tell(device, "keeps in its journal: \(words(loss.lost))")
        if !devices[device].lost.contains(loss.lost) { devices[device].lost.append(loss.lost) }
    }

    func mix(_ trees: Planner.Trees) {
        guard let local = trees.local else { return mix(1) }
        mix(UInt64(bitPattern: local.version.stamp.mark.time.microseconds))
        mix(
            local.version.stamp.mark.device.bits << 32 ^ UInt64(bitPattern: local.version.stamp.mark.sequence)
        )
        mix(UInt64(bitPattern: local.state.rawValue) << 1 | (local.version.isDeleted ? 1 : 0))
        mix(UInt64(trees.heads.count))
    }

    /// The same version again changes nothing and loses nothing.
    private func checkRepeated(_ device: Int, _ plan: Planner.Plan, _ incoming: SyncRecord) throws {
        let again = planned(device, plan.trees, incoming)
        if again.trees != plan.trees {
            throw violation(
                "repeats-change-nothing",
                device,
                "The version came once more, and the record became \(words(again.trees)) instead of \(words(plan.trees))."
            )
        }
        if let loss = again.losses.first(where: { !devices[device].lost.contains($0.lost) }) {
            throw violation(
                "repeats-change-nothing",
                device,
                "The version came once more, and only then something was lost: \(words(loss.lost))."
            )
        }
    }

    func words(_ trees: Planner.Trees) -> String {
        guard let local = trees.local else { return "unknown" }
        let heads = trees.heads.isEmpty ? "" : ", \(trees.heads.count) heads"
        return "\(local.state) \(words(local.version))\(heads)"
    }

    // MARK: After a plan

    private func check(
        _ device: Int,
        _ key: Int,
        _ before: Planner.Trees,
        _ plan: Planner.Plan,
        _ incoming: SyncRecord
    ) throws {
        guard let after = plan.trees.local else {
            throw violation("nothing-lost", device, "The record is gone after a version of it came.")
        }
        let seen = Self.seen(plan.trees)
        guard seen.covers(incoming.stamp.vector) else {
            throw violation("keeps-what-it-saw", device, "What is kept has not seen the version that came.")
        }
        let isLinear = story.place == .server
        devices[device].records[key].taken.formUnion(incoming.stamp.vector)
        // NB: a server may forget what it held, and an edit of this device that lost unsent is only in the journal.
        if !isLinear, !seen.covers(devices[device].records[key].taken) {
            throw violation("keeps-what-it-saw", device, "What is kept has not seen all that came before.")
        }
        guard let local = before.local else { return }
        for index in descriptor.layout.localOnly
        where local.version.record.values[index] != after.version.record.values[index] {
            throw violation(
                "stays-here",
                device,
                "'\(descriptor.fields[index].name)' stays on the device, and another's version changed it."
            )
        }
        try checkLife(device, key, local, plan.trees)
        try checkShown(device, before, local, after, plan, incoming)
        if plan.outcome == .merged || plan.outcome == .agreed { try checkFits(device, after.version) }
        if isLinear { try checkConflict(device, before, local, after, incoming) }
    }

    /// All that the versions of a record have seen together.
    private static func seen(_ trees: Planner.Trees) -> VersionVector {
        var vector = trees.local?.version.stamp.vector ?? VersionVector()
        for other in [trees.base, trees.remote, trees.agreed] {
            if let other { vector.formUnion(other.stamp.vector) }
        }
        for head in trees.heads { vector.formUnion(head.stamp.vector) }
        return vector
    }

    /// A tombstone goes only where an edit arrives that the delete had not seen, if only as the other side of a conflict.
    private func checkLife(
        _ device: Int,
        _ key: Int,
        _ local: LocalRecord,
        _ trees: Planner.Trees
    ) throws {
        guard local.version.isDeleted, let after = trees.local, !after.version.isDeleted else { return }
        // A conflict shows this device's side, which has not seen the other one.
        let isSide = trees.heads.contains {
            !$0.isDeleted && $0.stamp.mark == after.version.stamp.mark
        }
        let seen = isSide ? Self.seen(trees) : after.version.stamp.vector
        let isRevived = ledger.acts.contains { act in
            // An edit of a record that was merged into this one has another author here.
            let mark =
                act.key == key
                ? act.mark : act.mark.moved(from: material.keys[act.key].key, entity: descriptor.name)
            return !act.isDelete && seen.covers(mark) && !local.version.stamp.vector.covers(mark)
        }
        guard isRevived else {
            throw violation("deletes-stay", device, "The record is back, though nobody made it anew.")
        }
    }

    /// Where a person decides, no version changes what another device's person wrote and still sees, until somebody has
    /// seen that and decided.
    private func checkShown(
        _ device: Int,
        _ before: Planner.Trees,
        _ local: LocalRecord,
        _ after: LocalRecord,
        _ plan: Planner.Plan,
        _ incoming: SyncRecord
    ) throws {
        // NB: who has agreed with another waits only to join the times, and has nothing of their own.
        guard descriptor.strategy == .preserveLocal, local.state != .synced, before.agreed == nil else {
            return
        }
        let mine = local.version
        // What follows from a merge was written by nobody: an edit made meanwhile goes on top of it.
        if mine.isConclusion { return }
        // NB: who never heard of the remote's answer does not know what of it all is decided already.
        if before.base == nil {
            let remote = [plan.trees.base, plan.trees.remote, incoming].compactMap { $0 }
            if remote.contains(where: { $0.stamp.vector[mine.stamp.mark.device] > 0 }) { return }
        }
        let isSeen = plan.trees.heads.isEmpty && after.state == .synced
        let isDecided = isSeen && after.version.stamp.vector.covers(mine.stamp.vector)
        if isDecided, after.version.stamp.mark != mine.stamp.mark, plan.outcome != .merged { return }
        // NB: what the other has seen, though no answer said so, it has decided.
        // And a conflict shows values of others beside those that were written here.
        let written = decided(mine, over: before.base).filter {
            Self.isUnseen($0, of: mine, by: incoming) && isWrittenHere($0, mine, device)
        }
        if written.isEmpty, before.base?.isDeleted == mine.isDeleted { return }
        let isShown =
            mine.isDeleted == after.version.isDeleted
            && (mine.isDeleted || written.allSatisfy { Self.holds($0, mine, after.version) })
        guard isShown || !isLocallyHeld(mine, plan.trees) else {
            throw violation(
                "shown-until-decided",
                device,
                "\(words(mine)) was written here, and is shown no more: \(words(after.version))."
            )
        }
    }

    /// Whether no version that came has seen the edit.
    private func isLocallyHeld(_ mine: SyncRecord, _ trees: Planner.Trees) -> Bool {
        let others = trees.heads + [trees.local?.version].compactMap { $0 }
        return !others.contains {
            $0.stamp.vector.covers(mine.stamp.vector) && $0.stamp.mark.device != mine.stamp.mark.device
        }
    }

    /// The units of which a person decides and that a version does not just have from its base.
    private func decided(_ version: SyncRecord, over base: SyncRecord?) -> [MergeUnit] {
        descriptor.layout.units.filter { unit in
            guard unit.rule == .preserveLocal else { return false }
            // A field that is absent, or as its default has it, may be one that nobody has said anything of.
            if !unit.name.isEmpty, let field = unit.fields.first,
                version.record.values[field] == nil
                    || version.record.values[field] == descriptor.layout.defaults[field]
            {
                return false
            }
            guard let base, base.isDeleted == version.isDeleted else { return true }
            return !Self.holds(unit, version, base)
        }
    }

    /// Whether the edit that gave a unit its value is one that the other version has not seen.
    private static func isUnseen(_ unit: MergeUnit, of version: SyncRecord, by other: SyncRecord) -> Bool {
        marks(of: unit, in: version).contains { !other.stamp.vector.covers($0) }
    }

    /// Whether an edit of the device gave a unit its value, under this key or one that was merged into it.
    private func isWrittenHere(_ unit: MergeUnit, _ version: SyncRecord, _ device: Int) -> Bool {
        let id = devices[device].id
        let own = [id] + material.keys.map { id.moved(from: $0.key, entity: descriptor.name) }
        return Self.marks(of: unit, in: version).contains { own.contains($0.device) }
    }

    private static func marks(of unit: MergeUnit, in version: SyncRecord) -> [EditMark] {
        let detail = version.stamp.detail
        return detail?.units[unit.name]?.map(\.mark) ?? [detail?.origin ?? version.stamp.mark]
    }

    private static func holds(_ unit: MergeUnit, _ one: SyncRecord, _ two: SyncRecord) -> Bool {
        unit.fields.allSatisfy { one.record.values[$0] == two.record.values[$0] }
    }

    /// A server's version that an edit here has not seen is a conflict where a person decides, unless it says the same as the
    /// edit or as what the edit was made on.
    private func checkConflict(
        _ device: Int,
        _ before: Planner.Trees,
        _ local: LocalRecord,
        _ after: LocalRecord,
        _ incoming: SyncRecord
    ) throws {
        guard descriptor.strategy == .preserveLocal, local.state != .synced, before.agreed == nil else {
            return
        }
        let (mine, theirs) = (local.version, incoming)
        // What follows from a merge is no edit, on either side.
        if mine.isConclusion || theirs.isConclusion { return }
        if before.base == nil, theirs.stamp.vector[mine.stamp.mark.device] > 0 { return }
        guard !mine.stamp.vector.covers(theirs.stamp.vector), !theirs.stamp.vector.covers(mine.stamp.vector)
        else { return }
        if mine.isDeleted && theirs.isDeleted { return }
        if mine.isDeleted == theirs.isDeleted {
            let both = decided(theirs, over: before.base)
            let isClash = decided(mine, over: before.base).contains { unit in
                both.contains(unit) && !Self.holds(unit, mine, theirs)
                    && Self.isUnseen(unit, of: theirs, by: mine) && Self.isUnseen(unit, of: mine, by: theirs)
            }
            if !isClash { return }
        } else if let base = before.base {
            let isOneSided = [mine, theirs].contains { version in
                version.isDeleted == base.isDeleted
                    && (base.isDeleted || decided(version, over: base).isEmpty)
            }
            if isOneSided { return }
        }
        if after.state != .conflict {
            throw violation("shown-until-decided", device, "Two edits that differ met, and nobody is asked.")
        }
    }

    func checkFits(_ device: Int, _ version: SyncRecord) throws {
        guard !version.isDeleted, let problem = RecordCheck.problem(version.record, descriptor) else {
            return
        }
        throw violation("fits-schema", device, "'\(problem.field)' does not fit: \(problem.message)")
    }
}
