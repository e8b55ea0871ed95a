import SyncCore
import SyncRuntime

/// How a story ends: all is delivered everywhere, people decide, and then all devices hold the same.
extension PlanWorld {
    private static let maxRounds = 16

    func rest() throws {
        var draw = Seed(story.seed ^ 0x7e57)
        tell(nil, "everything is delivered")
        try settleAll(&draw)
        try checkNothingLost()
        try checkSame()
        try decideAll(&draw)
        try checkNothingLost()
        try checkSame()
        try checkQuiet(&draw)
    }

    /// Delivers and sends until nothing moves any more, on each device in an order of its own.
    private func settleAll(_ draw: inout Seed) throws {
        for _ in 0..<Self.maxRounds {
            let before = devices.map { $0.records.map(\.trees) }
            let sent = published.map(\.count)
            let held = stored.map(\.revision)
            for device in devices.indices.shuffled(using: &draw) {
                try takeAll(device, &draw)
                for key in 0..<story.keys { try publish(device, key) }
            }
            let isQuiet =
                sent == published.map(\.count) && held == stored.map(\.revision)
                && before == devices.map { $0.records.map(\.trees) }
            if isQuiet { return }
        }
        throw violation("comes-to-rest", nil, "The devices never come to rest.")
    }

    /// Lets people settle every conflict, until there is none.
    private func decideAll(_ draw: inout Seed) throws {
        // Each of a few records may meet each of the others, one after another.
        for _ in 0..<24 {
            var open = 0
            for device in devices.indices {
                for key in 0..<story.keys where devices[device].records[key].trees.local?.state == .conflict {
                    open += 1
                    try resolve(device, key, &draw)
                }
            }
            if open == 0 { return }
            try settleAll(&draw)
        }
        throw violation("decisions-hold", nil, "Conflicts come back although people settle all of them.")
    }

    // MARK: Checks

    private func checkNothingLost() throws {
        var versions: [SyncRecord] = []
        for device in devices {
            for place in device.records {
                guard let local = place.trees.local else { continue }
                versions.append(local.version)
                if local.state != .synced {
                    versions += [place.trees.base, place.trees.remote].compactMap { $0 }
                }
                versions += place.trees.heads
            }
            versions += device.lost
        }
        guard let claim = ledger.missing(in: versions) else { return }
        throw violation(
            "nothing-lost",
            Int(claim.mark.device.bits) - 1,
            "What was written in step \(claim.step) is nowhere any more: \(ledger.words(claim))."
        )
    }

    /// What the record is to all: as the remote presents it.
    private func presented(_ device: Int, _ key: Int) -> SyncRecord? {
        let trees = devices[device].records[key].trees
        guard let local = trees.local else { return nil }
        var shown = local.version
        if local.state == .conflict { shown = trees.remote ?? shown }
        return shown.isDeleted || local.visibility == .merged ? nil : shown
    }

    private func checkSame() throws {
        for device in devices.indices {
            for key in 0..<story.keys {
                if let local = devices[device].records[key].trees.local, local.state == .pending {
                    throw violation("outbox-empties", device, "An edit still waits: \(words(local.version)).")
                }
                if let shown = presented(device, key) { try checkFits(device, shown) }
            }
        }
        // NB: while somebody has to decide, a group shows on that device what others do not see.
        let isOpen = devices.contains { $0.records.contains { $0.trees.local?.state == .conflict } }
        if isOpen, story.keys > 1 { return }
        for key in 0..<story.keys {
            let wanted = presented(0, key)
            for device in devices.indices.dropFirst() {
                let found = presented(device, key)
                guard isSame(wanted, found) else {
                    throw violation(
                        "same-everywhere",
                        device,
                        "A shows\(name(key)) \(wanted.map(words) ?? "nothing"), and here it is \(found.map(words) ?? "nothing")."
                    )
                }
            }
        }
        try checkUnique()
    }

    private func isSame(_ one: SyncRecord?, _ two: SyncRecord?) -> Bool {
        guard let one, let two else { return one == nil && two == nil }
        return material.merge.keepingLocalOnly(one, of: two).record == two.record
    }

    /// No two records that are shown share what must be unique.
    private func checkUnique() throws {
        guard story.keys > 1, let list = descriptor.layout.unique.first else { return }
        let shown = (0..<story.keys).compactMap { presented(0, $0)?.record }
        for (position, one) in shown.enumerated() {
            for two in shown.dropFirst(position + 1) {
                let isShared = list.allSatisfy {
                    one.values[$0] != nil && one.values[$0] != .null && one.values[$0] == two.values[$0]
                }
                if isShared { throw violation("one-of-each", 0, "Two records share what must be unique.") }
            }
        }
    }

    /// All that ever travelled comes once more, and nothing changes.
    private func checkQuiet(_ draw: inout Seed) throws {
        for device in devices.indices {
            let before = devices[device].records.map(\.trees)
            for key in 0..<story.keys {
                switch story.place {
                case .folder:
                    for index in published[key].indices.shuffled(using: &draw) {
                        try take(device, key, published: index)
                    }
                case .server: try pull(device, key)
                }
            }
            guard before == devices[device].records.map(\.trees) else {
                throw violation(
                    "idle-is-free",
                    device,
                    "What came before came once more, and changed something."
                )
            }
        }
    }
}
