import SyncCore

/// What the remote made of an edit of this device when it stored it, such as a trigger that cuts a text or a column that
/// rounds. Pure.
///
/// It is a version of the remote's own on top of the edit, so no strategy decides about it. What a person wrote and what
/// is no longer there goes to the journal of the device that sent the edit.
struct Alteration {
    /// The name of this decision in the journal.
    static let rule = "altered"

    let descriptor: EntityDescriptor
    /// The edit as it was sent.
    let sent: SyncRecord
    /// The version that the edit was made on; nil for a new record.
    let base: SyncRecord?
    /// What the remote has stored.
    let stored: SyncRecord

    /// The edit, if a value that it gave is gone.
    var loss: Loss? {
        guard !sent.isDeleted, stored.isDeleted || !lostFields.isEmpty else { return nil }
        return Loss(kept: stored, lost: sent)
    }

    private var lostFields: [Int] {
        let layout = descriptor.layout
        // Times follow each edit, also one by the remote.
        let times = [layout.created, layout.updated, layout.deleted].compactMap { $0 }
        let others = Set(layout.key + layout.localOnly + times)
        return descriptor.fields.indices.filter { !others.contains($0) && isLost($0) }
    }

    private func isLost(_ field: Int) -> Bool {
        let given = Self.value(of: field, in: sent)
        let left = Self.value(of: field, in: stored)
        guard given != left else { return false }
        guard let base, !base.isDeleted else {
            return given != nil && !isDefault(field) && lacks(field, former: nil)
        }
        let former = Self.value(of: field, in: base)
        return given != former && lacks(field, former: former)
    }

    /// Whether the stored version lacks something that the edit wrote. A set may have more elements than it wrote.
    private func lacks(_ field: Int, former: FieldValue?) -> Bool {
        guard case .array(_, _, isSet: true, _, _) = descriptor.fields[field].type else { return true }
        let given = Set(SetElements.read(value: sent.record.values[field]))
        let left = Set(SetElements.read(value: stored.record.values[field]))
        let before = Set(SetElements.read(value: former))
        return !given.subtracting(before).isSubset(of: left)
            || !before.subtracting(given).isDisjoint(with: left)
    }

    /// Whether a field has the value that new records come with, and nobody has said so.
    private func isDefault(_ field: Int) -> Bool {
        let layout = descriptor.layout
        guard let value = layout.defaults[field], sent.record.values[field] == value else { return false }
        let unit = layout.units.first { $0.fields.contains(field) }
        return unit.flatMap { sent.metadata.detail?.units[$0.name] } == nil
    }

    /// Absent and null are the same to a column.
    private static func value(of field: Int, in version: SyncRecord) -> FieldValue? {
        let value = version.record.values[field]
        return value == .null ? nil : value
    }
}

extension Reconciliation {
    /// Whether the remote has altered an edit of this device so that something is gone.
    var hasAlteration: Bool {
        effects.contains { effect in
            if case .journal(_, Alteration.rule) = effect { true } else { false }
        }
    }
}

extension Reconcile {
    /// The answer to a push says that the remote has stored something else.
    func altered(_ state: RecordState, stored version: SyncRecord, sent: SyncRecord) -> Reconciliation {
        var result = altered(state, stored: version, sent: sent.metadata)
        guard result.outcome == .acknowledged, version.metadata.goesOn(from: sent.metadata) else {
            return result
        }
        var edit = sent
        if let local = state.local?.version, local.metadata == sent.metadata {
            // The journal keeps what never leaves this device, too.
            edit = merge.keepingLocalOnly(sent, of: local)
        }
        result.note(Alteration(descriptor: descriptor, sent: edit, base: state.base, stored: version).loss)
        return result
    }

    /// What a page brings that the remote has altered: the answer to the push of its edit may have been lost. Or somebody
    /// wrote into a record after it was deleted: said now, because whoever makes it anew replaces words that nobody saw.
    func alteredRemotely(_ state: RecordState, incoming: SyncRecord, isForked: Bool) -> Reconciliation {
        var result = self(state, on: .remote(incoming, isForked: isForked))
        if incoming.isDeleted, result.outcome != .known, result.state.local?.version.isDeleted == true {
            let seen = [state.local?.version, state.base].compactMap { $0 }
            if let words = incoming.lastWords(beyond: seen, in: descriptor) {
                result.losses.append(Loss(kept: incoming, lost: words))
            }
            return result
        }
        guard kind == .linear, let local = state.local, local.state != .synced,
            state.seenAtRemote?.metadata != incoming.metadata
        else { return result }
        let waiting = [local.version, state.unsent].compactMap { $0 }
        if let sent = waiting.first(where: { incoming.metadata.goesOn(from: $0.metadata) }) {
            let alteration = Alteration(
                descriptor: descriptor,
                sent: sent,
                base: state.base,
                stored: incoming
            )
            result.note(alteration.loss)
        } else if let lost = supersededLoss(of: local.version, base: state.base, stored: incoming) {
            result.note(lost)
        }
        return result
    }

    /// What is gone of an earlier edit of this device, which was sent before the present one was made. Of fields that merge
    /// by themselves, the present version has its values and says from which edit each one is. About the rest of the
    /// record, the strategy decides as a whole.
    private func supersededLoss(of local: SyncRecord, base: SyncRecord?, stored: SyncRecord) -> Loss? {
        let isApart = descriptor.layout.units.map { !$0.name.isEmpty }
        guard isApart.contains(true), !local.isDeleted, !stored.isDeleted else { return nil }
        let mine = MergeState(version: local, descriptor: descriptor)
        let theirs = MergeState(version: stored, descriptor: descriptor)
        func wasSent(_ edit: EditTimestamp) -> Bool {
            own.wrote(edit) && stored.metadata.vector.covers(edit)
                && base?.metadata.vector.covers(edit) != true
        }
        var lost = local
        lost.record = stored.record
        for (position, unit) in descriptor.layout.units.enumerated() where isApart[position] {
            if let elements = mine.elements[position] {
                let left = theirs.elements[position] ?? [:]
                let gone = elements.filter { left[$0.key] == nil && $0.value.contains(where: wasSent) }
                if !gone.isEmpty { lost.record.values[unit.fields[0]] = local.record.values[unit.fields[0]] }
                continue
            }
            let isAltered = theirs.units[position].contains {
                $0.editTimestamp == stored.metadata.editTimestamp
            }
            guard isAltered, mine.units[position].contains(where: { wasSent($0.editTimestamp) }) else {
                continue
            }
            for field in unit.fields { lost.record.values[field] = local.record.values[field] }
        }
        return lost.record == stored.record ? nil : Loss(kept: stored, lost: lost)
    }
}

extension Reconciliation {
    fileprivate mutating func note(_ loss: Loss?) {
        if let loss { effects.append(.journal(loss, rule: Alteration.rule)) }
    }
}

extension VersionMetadata {
    /// Whether this version has seen the other one, and nothing else but its own edit, which is another one. Both may be of
    /// the remote: what was sent may be a merge of which the remote's edit is the latest.
    fileprivate func goesOn(from other: VersionMetadata) -> Bool {
        let (mine, theirs) = (editTimestamp, other.editTimestamp)
        guard mine.device != theirs.device || mine.sequence != theirs.sequence else { return false }
        var vector = other.vector
        vector.insert(editTimestamp)
        return vector == self.vector
    }
}
