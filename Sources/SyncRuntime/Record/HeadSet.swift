package import SyncCore

/// Heads: the versions of one record that a remote holds and none of which has seen another.
package struct HeadSet: Sendable {
    let descriptor: EntityDescriptor
    private let merge: Merge

    /// Heads look the same on every device, whatever a person chose on this one.
    package init(_ entity: EntityDescriptor) {
        descriptor = entity.bySchema
        // NB: the merged view of heads is never published. A device that saw a head replaced must get the same view
        // as one that did not, and joined times do not show which version they came from.
        merge = Merge(descriptor: descriptor, joinsAgreedTimes: false)
    }

    /// Whether heads may stay unmerged, because a person decides between them.
    package var keepsHeads: Bool { descriptor.layout.letsPeopleDecide }

    /// The versions that no other one has seen, greatest first. Independent of the input's order.
    package func maximal(versions: [SyncRecord]) -> [SyncRecord] {
        if versions.count < 2 { return versions }
        if versions.count == 2 {
            let isLater = versions[0].metadata.vector.covers(versions[1].metadata.vector)
            let isEarlier = versions[1].metadata.vector.covers(versions[0].metadata.vector)
            if isLater != isEarlier { return [versions[isLater ? 0 : 1]] }
        }
        var heads: [SyncRecord] = []
        // Passing the function by name would copy the whole descriptor.
        for version in versions.sorted(by: { isBefore(lhs: $0, rhs: $1) }) {
            let isSeen = heads.contains { $0.metadata.vector.covers(version.metadata.vector) }
            if isSeen { continue }
            heads.removeAll { version.metadata.vector.covers($0.metadata.vector) }
            heads.append(version)
        }
        return heads
    }

    /// The view of the heads: the greatest head merged with all others that can be, and the conflicting ones.
    package func view(heads: [SyncRecord]) -> View {
        var view = View(shown: heads[0])
        for head in heads.dropFirst() {
            switch merge(view.shown, right: head) {
            case .conflict: view.conflicting.append(head)
            case .merged(let result, _) where breaksSchema(result, of: [view.shown, head]):
                take(head, beside: &view)
            case .merged(let result, let lost):
                // Two heads can have the same edit timestamp, a later one that both have seen, but never the same
                // vector. And the version shown so far can have values of any earlier head.
                let shown = view.shown
                view.shown = result
                view.lost += lost.map { $0.metadata.vector == head.metadata.vector ? head : shown }
            }
        }
        return view
    }

    /// Whether the schema refuses what two versions that it accepts merge to, such as the empty set that is left of two
    /// sets of which each person took out what the other one left.
    private func breaksSchema(_ result: SyncRecord, of versions: [SyncRecord]) -> Bool {
        func fits(_ version: SyncRecord) -> Bool {
            version.isDeleted || RecordCheck.fits(record: version.record, descriptor: descriptor)
        }
        return !fits(result) && versions.allSatisfy(fits)
    }

    /// Adds a head that cannot be merged with the shown version: a person decides, or the greater one stays whole.
    private func take(_ head: SyncRecord, beside view: inout View) {
        if keepsHeads { return view.conflicting.append(head) }
        view.shown.metadata.vector.formUnion(head.metadata.vector)
        view.lost.append(head)
    }

    /// Whether some heads conflict with the shown version.
    package func isDivided(_ heads: [SyncRecord]) -> Bool {
        heads.count > 1 && !view(heads: heads).conflicting.isEmpty
    }

    /// The view of a set of heads.
    package struct View: Sendable {
        /// The shown version.
        package var shown: SyncRecord
        /// Heads that could not be merged into it.
        package var conflicting: [SyncRecord] = []
        /// Heads, or merges of heads, that lost a value.
        package var lost: [SyncRecord] = []
    }

    /// Greatest first. Ties are broken by content, so that the order is total.
    private func isBefore(lhs: SyncRecord, rhs: SyncRecord) -> Bool {
        if lhs.metadata.editTimestamp != rhs.metadata.editTimestamp {
            return lhs.metadata.editTimestamp > rhs.metadata.editTimestamp
        }
        // Agreeing versions were joined to the earlier creation time when they were published. The view has that of
        // the greatest head, so creation times are compared first.
        if let created = descriptor.layout.created, case .timestamp(let first)? = lhs.record.values[created],
            case .timestamp(let second)? = rhs.record.values[created], first != second
        {
            return first < second
        }
        if lhs == rhs { return false }
        return Digest(EntryCodec.encode(lhs, descriptor: descriptor))
            > Digest(EntryCodec.encode(rhs, descriptor: descriptor))
    }
}
