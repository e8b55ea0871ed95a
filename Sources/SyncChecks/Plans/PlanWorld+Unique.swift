import SyncCore
import SyncRuntime

/// Duplicates on one device.
extension PlanWorld {
    /// Merges all duplicates of a device, as `Consequences.mergeDuplicates` does.
    func mergeGroups(_ device: Int) throws {
        guard story.keys > 1 else { return }
        for key in 0..<story.keys { askAboutDisplaced(device, key: key) }
        for key in 0..<story.keys {
            guard let local = devices[device].records[key].recordState.local, !local.version.isDeleted else {
                continue
            }
            let group = sharing(device: device, record: local.version.record)
            if group.count > 1 { try merge(device, group: group) }
        }
    }

    private func merge(_ device: Int, group: [Int]) throws {
        let members = group.map { key in
            UniqueConflict.Member(
                key: material.keys[key].key,
                recordState: devices[device].records[key].recordState
            )
        }
        let plan = merged(device: device, members: members)
        guard plan == merged(device: device, members: members.reversed()) else {
            throw violation(
                rule: "one-plan",
                device: device,
                text: "A group was merged twice, and two plans came of it."
            )
        }
        for loss in plan.losses { note(loss, device: device) }
        for member in plan.members {
            guard let key = group.first(where: { material.keys[$0].key == member.key }) else { continue }
            let before = devices[device].records[key].recordState
            devices[device].records[key].recordState = member.recordState
            if before != member.recordState, let local = member.recordState.local {
                log(
                    device: device,
                    text: "merges: record \(key + 1) is \(words(recordState: member.recordState))"
                )
                if local.state == .synced { try checkFits(device, version: local.version) }
            }
            mix(member.recordState)
        }
        let again = merged(device: device, members: plan.members)
        guard again.members == plan.members else {
            throw violation(
                rule: "repeats-change-nothing",
                device: device,
                text: "A merged group changes when it is merged again."
            )
        }
    }

    private func merged(device: Int, members: [UniqueConflict.Member]) -> UniqueConflict.Plan {
        plans += 1
        var plan = material.uniqueConflicts[device].plan(group: members)
        flaw?.onMerge(&plan, device)
        return plan
    }

    /// A local edit of a record that another device merged away meets the survivor once that has arrived.
    private func askAboutDisplaced(_ device: Int, key: Int) {
        guard let value = devices[device].records[key].displaced else { return }
        let survivor = survivor(device: device, key: key)
        let before = devices[device].records[survivor].recordState
        guard survivor != key, before.local != nil else { return }
        devices[device].records[key].displaced = nil
        let result = tables[device](before, on: .displaced(value))
        devices[device].records[survivor].recordState = result.state
        for loss in result.losses { note(loss, device: device) }
        log(
            device: device,
            text:
                "asks: record \(survivor + 1) is \(words(recordState: devices[device].records[survivor].recordState))"
        )
    }
}
