import SyncCore
import SyncRuntime

/// The end of a story: everything is delivered, people decide, and then all devices must be equal.
extension PlanWorld {
    private static let maxRounds = 16

    func rest() throws {
        var draw = Seed(story.seed ^ 0x7e57)
        log(device: nil, text: "everything is delivered")
        try converge(&draw)
        try checkNothingLost()
        try checkSame()
        try decideAll(&draw)
        try checkNothingLost()
        try checkSame()
        try checkQuiet(&draw)
    }

    /// Delivers and sends until nothing changes, in a different order on each device.
    private func converge(_ draw: inout Seed) throws {
        for _ in 0..<Self.maxRounds {
            let before = devices.map { $0.records.map(\.recordState) }
            let sent = published.map(\.count)
            let held = stored.map(\.revision)
            for device in devices.indices.shuffled(using: &draw) {
                try takeAll(device, draw: &draw)
                for key in 0..<story.keys { try publish(device, key: key) }
            }
            let isQuiet =
                sent == published.map(\.count) && held == stored.map(\.revision)
                && before == devices.map { $0.records.map(\.recordState) }
            if isQuiet { return }
        }
        throw violation(rule: "comes-to-rest", device: nil, text: "The devices never come to rest.")
    }

    /// Resolves all conflicts until none is left.
    private func decideAll(_ draw: inout Seed) throws {
        // Each of a few records may conflict with each of the others, one after another.
        for _ in 0..<24 {
            var open = 0
            for device in devices.indices {
                for key in 0..<story.keys
                where devices[device].records[key].recordState.local?.state == .conflict {
                    open += 1
                    try resolve(device: device, key: key, draw: &draw)
                }
            }
            if open == 0 { return }
            try converge(&draw)
        }
        throw violation(
            rule: "decisions-hold",
            device: nil,
            text: "Conflicts come back although people resolve all of them."
        )
    }

    // MARK: Checks

    private func checkNothingLost() throws {
        var versions: [SyncRecord] = []
        for device in devices {
            for place in device.records {
                guard let local = place.recordState.local else { continue }
                versions.append(local.version)
                if local.state != .synced {
                    versions += [place.recordState.base, place.recordState.remote].compactMap { $0 }
                }
                versions += place.recordState.heads
            }
            versions += device.lost
        }
        guard let claim = oracle.missing(in: versions) else { return }
        throw violation(
            rule: "nothing-lost",
            device: Int(claim.editTimestamp.device.bits) - 1,
            text: "What was written in step \(claim.step) is nowhere any more: \(oracle.words(claim: claim))."
        )
    }

    /// The record as the remote presents it to all.
    private func presented(device: Int, key: Int) -> SyncRecord? {
        let recordState = devices[device].records[key].recordState
        guard let local = recordState.local else { return nil }
        var shown = local.version
        if local.state == .conflict { shown = recordState.remote ?? shown }
        return shown.isDeleted ? nil : shown
    }

    private func checkSame() throws {
        for device in devices.indices {
            for key in 0..<story.keys {
                if let local = devices[device].records[key].recordState.local, local.state == .pending {
                    throw violation(
                        rule: "outbox-empties",
                        device: device,
                        text: "An edit still waits: \(words(version: local.version))."
                    )
                }
                if let shown = presented(device: device, key: key) { try checkFits(device, version: shown) }
            }
        }
        // NB: while a conflict is open, a group of duplicates may look different on that device.
        let isOpen = devices.contains { $0.records.contains { $0.recordState.local?.state == .conflict } }
        if isOpen, story.keys > 1 { return }
        for key in 0..<story.keys {
            let wanted = presented(device: 0, key: key)
            for device in devices.indices.dropFirst() {
                let found = presented(device: device, key: key)
                guard isSame(lhs: wanted, rhs: found) else {
                    throw violation(
                        rule: "same-everywhere",
                        device: device,
                        text:
                            "A shows\(name(key: key)) \(wanted.map(words) ?? "nothing"), and here it is \(found.map(words) ?? "nothing")."
                    )
                }
            }
        }
        try checkUnique()
    }

    private func isSame(lhs: SyncRecord?, rhs: SyncRecord?) -> Bool {
        guard let lhs, let rhs else { return lhs == nil && rhs == nil }
        return material.merge.keepingLocalOnly(lhs, of: rhs).record == rhs.record
    }

    /// Checks that no two shown records share unique values.
    private func checkUnique() throws {
        guard story.keys > 1, let list = descriptor.layout.unique.first else { return }
        let shown = (0..<story.keys).compactMap { presented(device: 0, key: $0)?.record }
        for (position, lhs) in shown.enumerated() {
            for rhs in shown.dropFirst(position + 1) {
                let isShared = list.allSatisfy {
                    lhs.values[$0] != nil && lhs.values[$0] != .null && lhs.values[$0] == rhs.values[$0]
                }
                if isShared {
                    throw violation(
                        rule: "one-of-each",
                        device: 0,
                        text: "Two records share what must be unique."
                    )
                }
            }
        }
    }

    /// Checks that delivering all versions again changes nothing.
    private func checkQuiet(_ draw: inout Seed) throws {
        for device in devices.indices {
            let before = devices[device].records.map(\.recordState)
            for key in 0..<story.keys {
                switch story.place {
                case .folder:
                    for index in published[key].indices.shuffled(using: &draw) {
                        try take(device: device, key: key, published: index)
                    }
                case .server: try pull(device, key: key)
                }
            }
            guard before == devices[device].records.map(\.recordState) else {
                throw violation(
                    rule: "idle-is-free",
                    device: device,
                    text: "What came before came once more, and changed something."
                )
            }
        }
    }
}
