import SyncCore
import SyncRuntime

/// Comparing what devices show at rest.
extension OutsideWorld {
    /// A difference between two devices, and the promises that it breaks.
    typealias Difference = (promise: OutsidePromise, text: String)

    /// The differences between all devices, and between these and a new one.
    func differences(_ views: [DeviceView], fresh: DeviceView?) -> [Difference] {
        let needed = views.reduce(into: forgotten) { $0.formUnion($1.needed(entities: entities)) }
        var found: [Difference] = []
        for (index, view) in views.enumerated() {
            for other in views.dropFirst(index + 1) {
                found += differences(view, other: other, except: needed, promise: .sameEverywhere)
            }
        }
        for view in views {
            if let fresh { found += differences(view, other: fresh, except: needed, promise: .newcomerSame) }
        }
        return found
    }

    /// Reports differences. While somebody is asked, what follows from a record in conflict can differ between devices,
    /// such as the records that share its unique values: then all decide first, and what differs still is reported.
    func check(_ found: [Difference], isOpen: Bool) async throws {
        var found = found
        if isOpen, !found.isEmpty {
            try await decideAll()
            let newcomer = await newcomer()
            defer { newcomer?.close() }
            found = differences(
                try present.map { try DeviceView(device: $0, entities: entities) },
                fresh: try newcomer.map { try DeviceView(device: $0, entities: entities) }
            )
        }
        for difference in found { report(difference.promise, text: difference.text) }
    }

    /// Everybody keeps the own side of each conflict, until there is none; but three times at most.
    private func decideAll() async throws {
        log(device: nil, text: "everybody decides")
        for _ in 0..<3 where try present.contains(where: { try !$0.conflicts().isEmpty }) {
            for device in present {
                for conflict in try device.conflicts() {
                    guard let entity = device.descriptor(name: conflict.place.entity) else { continue }
                    for side in [Resolution.local, .remote] {
                        let key = conflict.place.key
                        let decided: Void? = try? device.write {
                            try $0.resolve(entity: entity, key: key, with: side)
                        }
                        if decided != nil { break }
                    }
                }
            }
            for _ in 0..<3 {
                for device in present {
                    try checkStop()
                    _ = await meet(device)
                }
            }
        }
    }

    private func differences(
        _ lhs: DeviceView,
        other: DeviceView,
        except needed: Set<RecordID>,
        promise: OutsidePromise
    ) -> [Difference] {
        let waiting = lhs.waiting(entities: entities).union(other.waiting(entities: entities))
        var found: [Difference] = []
        for place in differences(lhs: lhs, other: other) where !needed.contains(place) {
            let text = difference(place: place, lhs: lhs, other: other)
            let groups = lhs.groups(place: place, entities: entities).union(
                other.groups(place: place, entities: entities)
            )
            let isBeside = !waiting.isDisjoint(with: groups)
            found.append((isBeside ? .sameNextToConflicts : promise, text))
            guard !isBeside else { continue }
            for view in [lhs, other] where view.isInSync && view.device.name != "N" {
                found.append((.inSyncIsTrue, "\(view.device.name) reports that it is in sync. \(text)"))
            }
        }
        return found
    }

    private func differences(lhs: DeviceView, other: DeviceView) -> [RecordID] {
        Set(lhs.exports.keys).union(other.exports.keys).union(lhs.conflicts.keys).union(other.conflicts.keys)
            .sorted().filter { place in
                guard case .some(let mine) = lhs.agreed(place: place, entities: entities),
                    case .some(let theirs) = other.agreed(place: place, entities: entities)
                else { return false }
                return mine != theirs && !isRefused(lhs.conflicts[place])
                    && !isRefused(other.conflicts[place])
            }
    }

    /// Whether the other side of a conflict is an edit that the server refused. It reaches no other device.
    private func isRefused(_ conflict: OutsideDevice.Conflict?) -> Bool {
        guard isStrict, let remote = conflict?.remote else { return false }
        return remote.values.contains { value in
            if case .text(let text)? = value { text.hasSuffix("!") } else { false }
        }
    }

    private func difference(place: RecordID, lhs: DeviceView, other: DeviceView) -> String {
        func words(view: DeviceView) -> String {
            let text = view.agreed(place: place, entities: entities).flatMap { $0 } ?? "nothing"
            let side = view.conflicts[place] == nil ? "" : " (other side of a conflict)"
            return "\(text)\(side) on \(view.device.name == "N" ? "a fresh device" : view.device.name)"
        }
        return "\(place) is \(words(view: lhs)) and \(words(view: other))"
    }
}
