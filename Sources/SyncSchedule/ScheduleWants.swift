import SyncCore
import SyncRuntime

/// What is to be synced, and why. A sync takes its part out, and puts it back if it fails.
struct ScheduleWants: Sendable, Hashable {
    /// What is due at once.
    var scopes: [SyncReason: Set<String>] = [:]
    /// Writes since a sync took the last ones.
    var written: Burst?
    /// Changes that the remote reported.
    var hinted: Burst?

    var isEmpty: Bool { scopes.isEmpty && written == nil && hinted == nil }

    var reasons: Set<SyncReason> {
        var reasons = Set(scopes.keys)
        if written != nil { reasons.insert(.write) }
        if hinted != nil { reasons.insert(.hint) }
        return reasons
    }

    /// All entities to sync, due or not.
    var names: Set<String> {
        var names = scopes.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        names.formUnion(written?.names ?? [])
        names.formUnion(hinted?.names ?? [])
        return names
    }

    mutating func add(_ reason: SyncReason, names: Set<String>) {
        scopes[reason, default: []].formUnion(names)
    }

    /// When the first of them is due.
    func due(now: Timestamp, policy: SchedulePolicy) -> Timestamp? {
        if !scopes.isEmpty { return now }
        return [written?.due(policy: policy), hinted?.due(policy: policy)].compactMap { $0 }.min()
    }

    /// Why a sync would start at an instant.
    func reasons(at time: Timestamp, policy: SchedulePolicy) -> Set<SyncReason> {
        var reasons = Set(scopes.keys)
        if let written, written.due(policy: policy) <= time { reasons.insert(.write) }
        if let hinted, hinted.due(policy: policy) <= time { reasons.insert(.hint) }
        return reasons
    }

    /// Takes out what a sync of these entities covers.
    mutating func take(_ names: Set<String>) -> ScheduleWants {
        var taken = ScheduleWants()
        for (reason, scope) in scopes {
            let covered = scope.intersection(names)
            if !covered.isEmpty { taken.scopes[reason] = covered }
            scopes[reason] = scope.isSubset(of: names) ? nil : scope.subtracting(names)
        }
        taken.written = Burst.take(names, from: &written)
        taken.hinted = Burst.take(names, from: &hinted)
        return taken
    }

    /// Puts back what a sync had taken.
    mutating func restore(_ taken: ScheduleWants) {
        for (reason, scope) in taken.scopes { add(reason, names: scope) }
        written = Burst.joined(earlier: taken.written, later: written)
        hinted = Burst.joined(earlier: taken.hinted, later: hinted)
    }

    mutating func shift(by microseconds: Int64) {
        written?.shift(by: microseconds)
        hinted?.shift(by: microseconds)
    }
}

/// Events that happened close together and are synced as one.
struct Burst: Sendable, Hashable {
    var names: Set<String>
    var first: Timestamp
    var last: Timestamp

    /// When enough quiet time has passed, or the burst has waited long enough.
    func due(policy: SchedulePolicy) -> Timestamp {
        let longest = max(policy.maxDelaySeconds, policy.debounceSeconds)
        return min(last.after(seconds: policy.debounceSeconds), first.after(seconds: longest))
    }

    static func add(_ names: Set<String>, now: Timestamp, to burst: inout Burst?) {
        if names.isEmpty { return }
        burst = joined(earlier: burst, later: Burst(names: names, first: now, last: now))
    }

    static func joined(earlier: Burst?, later: Burst?) -> Burst? {
        guard let earlier, let later else { return earlier ?? later }
        return Burst(
            names: earlier.names.union(later.names),
            first: min(earlier.first, later.first),
            last: max(earlier.last, later.last)
        )
    }

    static func take(_ names: Set<String>, from burst: inout Burst?) -> Burst? {
        guard let whole = burst, !whole.names.isDisjoint(with: names) else { return nil }
        var taken = whole
        taken.names.formIntersection(names)
        burst?.names.subtract(names)
        if burst?.names.isEmpty == true { burst = nil }
        return taken
    }

    mutating func shift(by microseconds: Int64) {
        first.microseconds += microseconds
        last.microseconds += microseconds
    }
}

extension Timestamp {
    /// The instant some seconds later; at most three thousand years, so that no wait overflows.
    func after(seconds: Double) -> Timestamp {
        let bounded = seconds.isNaN ? 0 : min(max(seconds, -1e11), 1e11)
        return Timestamp(microseconds: microseconds + Int64((bounded * 1_000_000).rounded()))
    }

    /// Seconds since an earlier instant.
    func seconds(since earlier: Timestamp) -> Double {
        Double(microseconds - earlier.microseconds) / 1_000_000
    }
}
