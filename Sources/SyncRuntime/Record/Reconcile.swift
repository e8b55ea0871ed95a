package import SyncCore

/// The strategy table: what an event does to one record. Pure: values in, values out.
///
/// Only this type decides about a record's state. `RecordPlace.perform` writes its decisions.
package struct Reconcile: Sendable {
    let descriptor: EntityDescriptor
    let own: OwnDevices
    let kind: RemoteKind
    /// Whether the remote may drop tombstones that it has delivered. A delete that wins over an edit is then sent
    /// again.
    let dropsTombstones: Bool
    let heads: HeadSet
    let merge: Merge

    package init(
        _ descriptor: EntityDescriptor,
        own: OwnDevices,
        remote kind: RemoteKind,
        dropsTombstones: Bool = true
    ) {
        self.dropsTombstones = dropsTombstones
        self.descriptor = descriptor
        self.own = own
        self.kind = kind
        heads = HeadSet(descriptor)
        merge = Merge(descriptor: descriptor)
    }

    /// Reconciles a record's state with an event.
    package func callAsFunction(_ state: RecordState, on event: RecordEvent) -> Reconciliation {
        let asking = descriptor.asking
        if state.local?.state == .conflict, asking.strategy != descriptor.strategy {
            return Reconcile(asking, own: own, remote: kind, dropsTombstones: dropsTombstones)(
                state,
                on: event
            )
        }
        return switch event {
        case .remote(let version, let isForked, isAltered: false):
            hasSeen(version, in: state)
                ? known(state, incoming: version)
                : told(meet(state, incoming: version), of: version, isForked: isForked, before: state)
        case .remote(let version, let isForked, isAltered: true):
            alteredRemotely(state, incoming: version, isForked: isForked)
        case .absent: absent(state)
        case .lost: lost(state)
        case .outOfScope: outOfScope(state)
        case .accepted(let sent): accepted(state, sent: sent)
        case .altered(let stored, let sent): altered(state, stored: stored, sent: sent)
        case .refused(let sent): refused(state, sent: sent)
        case .edited(let version, let decides): edited(state, version: version, decides: decides)
        case .editedApart(let version, let base): editedApart(state, version: version, base: base)
        case .concluded(let version): concluded(state, version: version)
        case .localValues(let version): localValues(state, version: version)
        case .retried: waiting(state)
        case .discarded: discarded(state)
        case .parentDeleted(let cause): parentDeleted(state, cause: cause)
        case .duplicates(let duplicates): duplicated(state, duplicates: duplicates)
        case .displaced(let version): displaced(state, version: version)
        case .adopted(let guest): adopted(state, guest: guest)
        case .renamed(let metadata, let forgetsBase):
            renamed(state, metadata: metadata, forgetsBase: forgetsBase)
        case .rejoined: rejoined(state)
        }
    }
}
