public import SyncCore
import SyncRuntime

/// The laws that merging obeys for one entity: the same result on all devices, in every order.
///
/// Versions come from a seeded history: devices that edit, delete, re-create and exchange one record, with clocks
/// that are wrong. A broken law is a `LawViolation` with the seed and the story.
public struct MergeLaws: Sendable {
    let descriptor: EntityDescriptor
    /// The schema of the third device, where that has not been updated.
    let older: EntityDescriptor?
    /// Whether versions come from apps with two schemas.
    private var isMixed: Bool

    /// Checks one entity. With an older schema the third device uses that one, and the laws are checked on both.
    public init(_ descriptor: EntityDescriptor, older: EntityDescriptor? = nil) {
        self.descriptor = descriptor
        self.older = older
        isMixed = older != nil
    }

    /// A law that did not hold.
    public struct LawViolation: Error, CustomStringConvertible, Sendable {
        /// The law, the seed and the versions.
        public let description: String
    }

    /// Runs histories from `firstSeed` on. Throws the first violation.
    public func check(seeds: Range<UInt64>, steps: Int = 14) throws {
        for number in seeds {
            var seed = Seed(number)
            let versions = try history(&seed, steps: steps)
            try check(versions, &seed, number)
            if let older {
                try checkMixed(versions, older, &seed, number)
                let seen = try versions.map { try Self.seen($0, descriptor, by: older) }
                var laws = MergeLaws(older)
                laws.isMixed = true
                try laws.check(seen, &seed, number)
            }
        }
    }

    private func check(_ versions: [SyncRecord], _ seed: inout Seed, _ number: UInt64) throws {
        for _ in 0..<24 {
            guard let one = versions.randomElement(using: &seed),
                let two = versions.randomElement(using: &seed),
                let three = versions.randomElement(using: &seed)
            else { continue }
            try checkPair(one, two, number)
            try checkTriple(one, two, three, number)
        }
    }

    /// A version as an app with another schema takes it in.
    private static func seen(
        _ version: SyncRecord,
        _ schema: EntityDescriptor,
        by other: EntityDescriptor
    ) throws -> SyncRecord {
        try EntryCodec.decode(EntryCodec.encode(version, schema), other)
    }

    private func checkPair(_ one: SyncRecord, _ two: SyncRecord, _ seed: UInt64) throws {
        let merge = Merge(descriptor)
        let (left, right) = (merge(one, two), merge(two, one))
        switch (left, right) {
        case (.conflict, .conflict): return
        case (.merged(let left, _), .merged(let right, _)):
            guard left == right else {
                throw violation("merge is commutative", seed, [one, two, left, right])
            }
            // NB: an older app leaves sets that it does not know unnamed among the marks; the first merge names them.
            let named = isMixed ? Self.merged(merge(left, left), left) : left
            guard case .merged(let again, _) = merge(named, one), again == named else {
                throw violation("merge is idempotent", seed, [one, two, left])
            }
        default: throw violation("both orders agree on whether there is a conflict", seed, [one, two])
        }
    }

    private func checkTriple(_ one: SyncRecord, _ two: SyncRecord, _ three: SyncRecord, _ seed: UInt64) throws
    {
        let heads = HeadSet(descriptor)
        if heads.keepsHeads {
            let views = permutations([one, two, three]).map { heads.view(heads.maximal($0)) }
            for view in views.dropFirst() {
                guard view.shown == views[0].shown, view.beside == views[0].beside else {
                    throw violation("every order presents the same head", seed, [one, two, three])
                }
            }
            return
        }
        let results = permutations([one, two, three]).map { versions in
            versions.dropFirst().reduce(versions[0]) { Self.merged(Merge(descriptor)($0, $1), $0) }
        }
        for result in results.dropFirst() where content(result) != content(results[0]) {
            throw violation(
                "every order of three gives one result",
                seed,
                [one, two, three, results[0], result]
            )
        }
    }

    /// Whoever merges, an app that knows the fields or one that does not: an app that knows them comes to one result.
    private func checkMixed(
        _ versions: [SyncRecord],
        _ older: EntityDescriptor,
        _ seed: inout Seed,
        _ number: UInt64
    ) throws {
        if HeadSet(descriptor).keepsHeads { return }
        for _ in 0..<6 {
            let three = (0..<3).compactMap { _ in versions.randomElement(using: &seed) }
            var first: SyncRecord?
            for order in permutations(three) {
                for schemas in [[descriptor, older], [older, descriptor], [older, older]] {
                    var result = order[0]
                    for (version, schema) in zip(order.dropFirst(), schemas) {
                        let (one, two) = (
                            try Self.seen(result, descriptor, by: schema),
                            try Self.seen(version, descriptor, by: schema)
                        )
                        result = try Self.seen(
                            Self.merged(Merge(schema)(one, two), one),
                            schema,
                            by: descriptor
                        )
                    }
                    result = Merge(descriptor).normalized(result)
                    if let first, content(first) != content(result) {
                        throw violation(
                            "no app's ignorance changes the result",
                            number,
                            three + [first, result]
                        )
                    }
                    first = first ?? result
                }
            }
        }
    }

    /// What devices must agree on at once. The times of equal content follow when they next exchange.
    private func content(_ version: SyncRecord) -> [String] {
        // NB: an older app keeps values that one that knows the rule has dropped, and names sets only when another app
        // has: what it shows must be the same, and its marks what an app that knows them makes of them (`checkMixed`).
        if isMixed, older == nil {
            var shown = Merge(descriptor).applyingRules(to: version)
            // NB: a list that no version names a set is shown as the latest one until an app that knows it has merged.
            shown.record.unknown.removeAll { $0.json.utf8.first == UInt8(ascii: "[") }
            return [
                descriptor.contentDigest(shown).description, shown.stamp.mark.description,
                shown.stamp.vector.description,
            ]
        }
        // An older app leaves sets unnamed and values as JSON: the same, once an app that knows them has read it.
        let version = isMixed ? Merge(descriptor).normalized(version) : version
        return [
            descriptor.contentDigest(version).description, version.stamp.mark.description,
            version.stamp.vector.description, version.stamp.detail.map(StampDetailCodec.text) ?? "",
        ]
    }

    private static func merged(_ outcome: MergeOutcome, _ fallback: SyncRecord) -> SyncRecord {
        if case .merged(let result, _) = outcome { result } else { fallback }
    }

    private func permutations(_ values: [SyncRecord]) -> [[SyncRecord]] {
        if values.count < 2 { return [values] }
        return values.indices.flatMap { index -> [[SyncRecord]] in
            var rest = values
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }

    private func violation(_ law: String, _ seed: UInt64, _ versions: [SyncRecord]) -> LawViolation {
        let story = versions.map { String(decoding: EntryCodec.encode($0, descriptor), as: UTF8.self) }
        return LawViolation(
            description: "\(descriptor.name): '\(law)' fails for seed \(seed):\n"
                + story.joined(separator: "\n")
        )
    }
}

extension MergeLaws {
    /// Whether all devices begin with one record. An app that merges records as wholes, and makes one apart, dates
    /// fields that it has never heard of: no law can hold for these.
    private var beginsWithOne: Bool {
        guard let older else { return false }
        return !older.meetsByField
    }

    /// All versions that three devices make of one record, in the order in which they are made.
    package func history(_ seed: inout Seed, steps: Int) throws -> [SyncRecord] {
        var none = Seed(0)
        let first = RecordGenerator(older ?? descriptor).record(number: 1, seed: &none)
        let key = (older ?? descriptor).key(of: first) ?? RecordKey("")
        var devices: [SyncRecord?] = [nil, nil, nil]
        var sequences: [Int64] = [0, 0, 0]
        var versions: [SyncRecord] = []
        for step in 0..<steps {
            let index = step == 0 && beginsWithOne ? 0 : Int.random(in: 0..<3, using: &seed)
            let schema = index == 2 ? older ?? descriptor : descriptor
            let generator = RecordGenerator(schema)
            let current = try devices[index].map { try Self.seen($0, descriptor, by: schema) }
            if step > 0, Int.random(in: 0..<3, using: &seed) == 0 {
                let other = (index + 1 + Int.random(in: 0..<2, using: &seed)) % 3
                guard let version = devices[other] else { continue }
                let theirs = try Self.seen(version, descriptor, by: schema)
                let merged = current.map { Self.merged(Merge(schema)($0, theirs), $0) } ?? theirs
                devices[index] = try Self.seen(merged, schema, by: descriptor)
            } else {
                let now = Timestamp(
                    microseconds: Int64(step + Int.random(in: -3...3, using: &seed)) * 1_000_000
                )
                let editor = Editor(schema, now: now, device: DeviceID(bits: UInt64(index + 1)))
                let value =
                    current.map { generator.edit($0.record, seed: &seed) }
                    ?? generator.record(number: 1, seed: &seed)
                var edit = Editor.Edit(current: current, record: value)
                edit.isDeleted = current != nil && Int.random(in: 0..<5, using: &seed) == 0
                let outcome = editor(edit, key: key) {
                    sequences[index] += 1
                    return sequences[index]
                }
                if case .edited(let version) = outcome {
                    devices[index] = try Self.seen(version, schema, by: descriptor)
                }
            }
            if let version = devices[index] { versions.append(version) }
            if step == 0, beginsWithOne { devices = [devices[index], devices[index], devices[index]] }
        }
        return versions
    }
}
