package import SyncCore

/// The versions of one record that a remote holds and of which none has seen another.
package struct HeadSet: Sendable {
    let descriptor: EntityDescriptor
    private let merge: Merge

    package init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
        // NB: nobody publishes what heads come to. Who has seen one of them replaced must come to the same as who has
        // not, and times that were joined do not tell whose they were.
        merge = Merge(descriptor: descriptor, joinsAgreedTimes: false)
    }

    /// Whether versions may have to stand beside each other, because a person decides between them.
    package var keepsHeads: Bool { descriptor.layout.letsPeopleDecide }

    /// The versions that no other one has seen, greatest first. The same for any order of the input.
    package func maximal(versions: [SyncRecord]) -> [SyncRecord] {
        if versions.count < 2 { return versions }
        if versions.count == 2, !Mutation.disables(.headsByVector) {
            let isLater = versions[0].metadata.vector.covers(versions[1].metadata.vector)
            let isEarlier = versions[1].metadata.vector.covers(versions[0].metadata.vector)
            if isLater != isEarlier { return [versions[isLater ? 0 : 1]] }
        }
        var heads: [SyncRecord] = []
        // NB: a function given by its name would copy the whole descriptor.
        for version in versions.sorted(by: { isBefore(lhs: $0, rhs: $1) }) {
            let isSeen = heads.contains { $0.metadata.vector.covers(version.metadata.vector) }
            if isSeen || (Mutation.disables(.headsByVector) && !heads.isEmpty) { continue }
            heads.removeAll { version.metadata.vector.covers($0.metadata.vector) }
            heads.append(version)
        }
        return heads
    }

    /// What the heads come to: the greatest, with all merged into it that can be; the others beside it.
    package func view(heads: [SyncRecord]) -> View {
        var view = View(shown: heads[0])
        for head in heads.dropFirst() {
            switch merge(view.shown, right: head) {
            case .conflict: view.conflicting.append(head)
            case .merged(let result, let lost):
                // NB: two heads can have one mark, a later one that both have seen and outlived; never one vector.
                // And what was shown until now can have values of any head before this one.
                let shown = view.shown
                view.shown = result
                view.lost += lost.map { $0.metadata.vector == head.metadata.vector ? head : shown }
            }
        }
        return view
    }

    /// Whether some of the heads do not merge into what is shown of them.
    package func isDivided(_ heads: [SyncRecord]) -> Bool {
        heads.count > 1 && !view(heads: heads).conflicting.isEmpty
    }

    /// What a set of heads comes to.
    package struct View: Sendable {
        /// The presented version.
        package var shown: SyncRecord
        /// Heads that could not be merged into it.
        package var conflicting: [SyncRecord] = []
        /// Heads, or what some of them came to, of which some value was lost on the way.
        package var lost: [SyncRecord] = []
    }

    /// Greatest first; a tie is broken by what is written, so that the order is total.
    private func isBefore(lhs: SyncRecord, rhs: SyncRecord) -> Bool {
        if lhs.metadata.editTimestamp != rhs.metadata.editTimestamp {
            return lhs.metadata.editTimestamp > rhs.metadata.editTimestamp
        }
        // NB: versions that agree were joined to the earlier time of creation when that was published; what heads
        // come to here has that of the greatest, and must not stand in the way.
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
