import SyncCore
import SyncRuntime

/// Records that share unique values, on one device.
extension PlanWorld {
    /// Merges every group of a device, as `UniqueConflicts` does.
    func mergeGroups(_ device: Int) throws {
        guard story.keys > 1 else { return }
        for key in 0..<story.keys { askAboutDisplaced(device, key) }
        for key in 0..<story.keys {
            guard let local = devices[device].records[key].trees.local, !local.version.isDeleted else {
                continue
            }
            let group = sharing(device, local.version.record)
            if group.count > 1 { try merge(device, group) }
        }
    }

    private func merge(_ device: Int, _ group: [Int]) throws {
        let members = group.map { key in
            UniqueConflict.Member(key: material.keys[key].key, trees: devices[device].records[key].trees)
        }
        let plan = merged(device, members)
        guard plan == merged(device, members.reversed()) else {
            throw violation("one-plan", device, "A group was merged twice, and two plans came of it.")
        }
        for loss in plan.losses { note(loss, device) }
        for member in plan.members {
            guard let key = group.first(where: { material.keys[$0].key == member.key }) else { continue }
            let before = devices[device].records[key].trees
            devices[device].records[key].trees = member.trees
            if before != member.trees, let local = member.trees.local {
                tell(device, "merges: record \(key + 1) is \(words(member.trees))")
                if local.state == .synced { try checkFits(device, local.version) }
            }
            mix(member.trees)
        }
        let again = merged(device, plan.members)
        guard again.members == plan.members else {
            throw violation(
                "repeats-change-nothing",
                device,
                "A merged group changes when it is merged again."
            )
        }
    }

    private func merged(_ device: Int, _ members: [UniqueConflict.Member]) -> UniqueConflict.Plan {
        plans += 1
        var plan = material.uniqueConflicts[device].plan(members)
        flaw?.onMerge(&plan, device)
        return plan
    }

    /// What was written here of a record that another device merged away meets the survivor, once that is here.
    private func askAboutDisplaced(_ device: Int, _ key: Int) {
        guard let value = devices[device].records[key].displaced else { return }
        let survivor = survivor(device, key)
        guard survivor != key, let local = devices[device].records[survivor].trees.local else { return }
        devices[device].records[key].displaced = nil
        var losses: [Planner.Loss] = []
        if local.version.isDeleted {
            losses.append(Planner.Loss(kept: local.version, lost: value))
        } else {
            material.uniqueConflicts[device]
                .meet(&devices[device].records[survivor].trees, value, isOwn: true, &losses)
        }
        for loss in losses { note(loss, device) }
        tell(device, "asks: record \(survivor + 1) is \(words(devices[device].records[survivor].trees))")
    }

    /// Keeps what was written here of a record that came merged into another, as the pull does.
    func keepDisplaced(_ device: Int, _ key: Int, _ incoming: SyncRecord) {
        guard incoming.isDeleted, incoming.mergedInto != nil, descriptor.layout.letsPeopleDecide,
            let local = devices[device].records[key].trees.local, local.state == .synced,
            !local.version.isDeleted, local.version.stamp.mark.device == devices[device].id,
            incoming.stamp.vector.covers(local.version.stamp.vector)
        else { return }
        devices[device].records[key].displaced = local.version
    }
}
