import SyncCore
import SyncRuntime

/// Records that share unique values, on one device.
extension PlanWorld {
    /// Settles every group of a device, as `Settler` does.
    func settle(_ device: Int) throws {
        guard story.keys > 1 else { return }
        var done: Set<Int> = []
        for key in 0..<story.keys where !done.contains(key) {
            guard let local = devices[device].records[key].trees.local, local.visibility != .deleted else {
                continue
            }
            let group = sharing(device, local.version.record)
            if group.isEmpty {
                if local.visibility == .merged {
                    devices[device].records[key].trees.local?.visibility = .live
                    devices[device].records[key].trees.local?.version.mergedInto = nil
                }
                continue
            }
            if group == [key], local.visibility == .live, !local.hasHeads { continue }
            done.formUnion(group)
            try settle(device, group)
        }
    }

    private func settle(_ device: Int, _ group: [Int]) throws {
        let members = group.map { key in
            Settlement.Member(key: material.keys[key].key, trees: devices[device].records[key].trees)
        }
        let sequence = devices[device].sequence
        let plan = settled(device, members)
        let used = devices[device].sequence
        devices[device].sequence = sequence
        guard plan == settled(device, members.reversed()) else {
            throw violation("one-plan", device, "A group was settled twice, and two plans came of it.")
        }
        for loss in plan.losses { note(loss, device) }
        for (key, member) in zip(group, plan.members) {
            let before = devices[device].records[key].trees
            devices[device].records[key].trees = member.trees
            if before != member.trees, let local = member.trees.local {
                tell(
                    device,
                    local.visibility == .merged
                        ? "hides record \(key + 1)" : "shows record \(key + 1) as \(words(member.trees))"
                )
                if local.state == .synced { try checkFits(device, local.version) }
            }
            mix(member.trees)
        }
        let again = settled(device, plan.members)
        devices[device].sequence = used
        guard again.members == plan.members else {
            throw violation(
                "repeats-change-nothing",
                device,
                "A settled group changes when it is settled again."
            )
        }
    }

    private func settled(_ device: Int, _ members: [Settlement.Member]) -> Settlement.Plan {
        plans += 1
        var plan = material.settlements[device].plan(members) { time in
            EditMark(time: time, device: devices[device].id, sequence: devices[device].nextSequence())
        }
        flaw?.onSettle(&plan, device)
        return plan
    }
}
