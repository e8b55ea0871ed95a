public import SyncCore
import SyncRuntime

/// The laws of merging for one entity: all devices get the same result, in every order.
///
/// The versions come from a seeded history of devices that edit, delete, recreate and exchange one record
/// with wrong clocks. A violated law is thrown as a `LawViolation` with the seed and the versions.
public struct MergeLaws: Sendable {
    let descriptor: EntityDescriptor
    /// The schema of the third device if it was not updated.
    let older: EntityDescriptor?
    /// Whether the versions come from apps with two schemas.
    private var isMixed: Bool

    /// Makes the laws of one entity. With an older schema the third device uses that one, and both are checked.
    public init(descriptor: EntityDescriptor, older: EntityDescriptor? = nil) {
        self.descriptor = descriptor
        self.older = older
        isMixed = older != nil
    }

    /// Thrown for a violated law.
    public struct LawViolation: Error, CustomStringConvertible, Sendable {
        /// The law, the seed and the versions.
        public let description: String
    }

    /// Checks histories for the given seeds. Throws the first violation.
    public func check(seeds: Range<UInt64>, steps: Int = 14) throws {
        for number in seeds {
            var seed = Seed(number)
            let versions = try history(seed: &seed, steps: steps)
            try check(versions, seed: &seed, number: number)
            if let older {
                try checkMixed(versions, older: older, seed: &seed, number: number)
                let seen = try versions.map { try Self.seen(version: $0, schema: descriptor, by: older) }
                var laws = MergeLaws(descriptor: older)
                laws.isMixed = true
                try laws.check(seen, seed: &seed, number: number)
            }
        }
    }

    private func check(_ versions: [SyncRecord], seed: inout Seed, number: UInt64) throws {
        for _ in 0..<24 {
            guard let lhs = versions.randomElement(using: &seed),
                let rhs = versions.randomElement(using: &seed),
                let three = versions.randomElement(using: &seed)
            else { continue }
            try checkPair(lhs, rhs: rhs, seed: number)
            try checkTriple(lhs, rhs: rhs, three: three, seed: number)
        }
    }

    /// A version as an app with another schema reads it.
    private static func seen(
        version: SyncRecord,
        schema: EntityDescriptor,
        by other: EntityDescriptor
    ) throws -> SyncRecord {
        try EntryCodec.decode(EntryCodec.encode(version, descriptor: schema), descriptor: other)
    }

    private func checkPair(_ lhs: SyncRecord, rhs: SyncRecord, seed: UInt64) throws {
        let merge = Merge(descriptor: descriptor)
        let (left, right) = (merge(lhs, right: rhs), merge(rhs, right: lhs))
        switch (left, right) {
        case (.conflict, .conflict): return
        case (.merged(let left, _), .merged(let right, _)):
            guard left == right else {
                throw violation(law: "merge is commutative", seed: seed, versions: [lhs, rhs, left, right])
            }
            // NB: an older app does not name unknown sets in the field timestamps. The first merge does.
            let named = isMixed ? Self.merged(outcome: merge(left, right: left), fallback: left) : left
            guard case .merged(let again, _) = merge(named, right: lhs), again == named else {
                throw violation(law: "merge is idempotent", seed: seed, versions: [lhs, rhs, left])
            }
        default:
            throw violation(
                law: "both orders agree on whether there is a conflict",
                seed: seed,
                versions: [lhs, rhs]
            )
        }
    }

    private func checkTriple(_ lhs: SyncRecord, rhs: SyncRecord, three: SyncRecord, seed: UInt64) throws {
        let heads = HeadSet(descriptor)
        if heads.keepsHeads {
            let views = permutations(values: [lhs, rhs, three]).map {
                heads.view(heads: heads.maximal(versions: $0))
            }
            for view in views.dropFirst() {
                guard view.shown == views[0].shown, view.conflicting == views[0].conflicting else {
                    throw violation(
                        law: "every order presents the same head",
                        seed: seed,
                        versions: [lhs, rhs, three]
                    )
                }
            }
            return
        }
        let results = permutations(values: [lhs, rhs, three]).map { versions in
            versions.dropFirst().reduce(versions[0]) {
                Self.merged(outcome: Merge(descriptor: descriptor)($0, right: $1), fallback: $0)
            }
        }
        for result in results.dropFirst() where content(version: result) != content(version: results[0]) {
            throw violation(
                law: "every order of three gives one result",
                seed: seed,
                versions: [lhs, rhs, three, results[0], result]
            )
        }
    }

    /// Checks that merges by apps with and without a field lead to the same result in an app with the field.
    private func checkMixed(
        _ versions: [SyncRecord],
        older: EntityDescriptor,
        seed: inout Seed,
        number: UInt64
    ) throws {
        if HeadSet(descriptor).keepsHeads { return }
        for _ in 0..<6 {
            let three = (0..<3).compactMap { _ in versions.randomElement(using: &seed) }
            var first: SyncRecord?
            for order in permutations(values: three) {
                for schemas in [[descriptor, older], [older, descriptor], [older, older]] {
                    var result = order[0]
                    for (version, schema) in zip(order.dropFirst(), schemas) {
                        let (lhs, rhs) = (
                            try Self.seen(version: result, schema: descriptor, by: schema),
                            try Self.seen(version: version, schema: descriptor, by: schema)
                        )
                        result = try Self.seen(
                            version: Self.merged(
                                outcome: Merge(descriptor: schema)(lhs, right: rhs),
                                fallback: lhs
                            ),
                            schema: schema,
                            by: descriptor
                        )
                    }
                    result = Merge(descriptor: descriptor).normalized(version: result)
                    if let first, content(version: first) != content(version: result) {
                        throw violation(
                            law: "no app's ignorance changes the result",
                            seed: number,
                            versions: three + [first, result]
                        )
                    }
                    first = first ?? result
                }
            }
        }
    }

    /// The content that must be equal at once. Times of equal content converge at the next exchange.
    private func content(version: SyncRecord) -> [String] {
        // An older app keeps values that the merge rule would drop, and names sets only after another app
        // has. So its shown record must be equal, and its field timestamps must be after normalisation
        // (`checkMixed`).
        if isMixed, older == nil {
            var shown = Merge(descriptor: descriptor).applyingRules(to: version)
            // A list that no version names as a set is shown as the latest one until an app that knows the
            // set has merged.
            shown.record.unknown.removeAll { $0.json.utf8.first == UInt8(ascii: "[") }
            return [
                descriptor.contentDigest(of: shown).description,
                shown.metadata.editTimestamp.description,
                shown.metadata.vector.description,
            ]
        }
        // An older app leaves sets unnamed and values as JSON. Normalisation makes both equal.
        let version = isMixed ? Merge(descriptor: descriptor).normalized(version: version) : version
        return [
            descriptor.contentDigest(of: version).description,
            version.metadata.editTimestamp.description,
            version.metadata.vector.description, version.metadata.detail.map(FieldTimestampsCodec.text) ?? "",
        ]
    }

    private static func merged(outcome: MergeOutcome, fallback: SyncRecord) -> SyncRecord {
        if case .merged(let result, _) = outcome { result } else { fallback }
    }

    private func permutations(values: [SyncRecord]) -> [[SyncRecord]] {
        if values.count < 2 { return [values] }
        return values.indices.flatMap { index -> [[SyncRecord]] in
            var rest = values
            let first = rest.remove(at: index)
            return permutations(values: rest).map { [first] + $0 }
        }
    }

    private func violation(law: String, seed: UInt64, versions: [SyncRecord]) -> LawViolation {
        let story = versions.map {
            String(decoding: EntryCodec.encode($0, descriptor: descriptor), as: UTF8.self)
        }
        return LawViolation(
            description: "\(descriptor.name): '\(law)' fails for seed \(seed):\n"
                + story.joined(separator: "\n")
        )
    }
}

extension MergeLaws {
    /// Whether all devices start with the same record. An older app that merges whole records assigns times
    /// to fields that it does not know, so no law can hold for records created separately.
    /// fields that it has never heard of: no law can hold for these.
    private var beginsWithOne: Bool {
        guard let older else { return false }
        return !older.meetsByField
    }

    /// All versions of one record on three devices, in the order in which they are written.
    package func history(seed: inout Seed, steps: Int) throws -> [SyncRecord] {
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
            let current = try devices[index].map {
                try Self.seen(version: $0, schema: descriptor, by: schema)
            }
            if step > 0, Int.random(in: 0..<3, using: &seed) == 0 {
                let other = (index + 1 + Int.random(in: 0..<2, using: &seed)) % 3
                guard let version = devices[other] else { continue }
                let theirs = try Self.seen(version: version, schema: descriptor, by: schema)
                let result =
                    current.map {
                        Self.merged(outcome: Merge(descriptor: schema)($0, right: theirs), fallback: $0)
                    } ?? theirs
                // No device takes what its schema refuses, such as a set of which each side has removed the rest.
                let isTaken =
                    result.isDeleted || RecordCheck.fits(record: result.record, descriptor: schema)
                let merged = isTaken ? result : current ?? theirs
                devices[index] = try Self.seen(version: merged, schema: schema, by: descriptor)
            } else {
                let now = Timestamp(
                    microseconds: Int64(step + Int.random(in: -3...3, using: &seed)) * 1_000_000
                )
                let editor = Editor(descriptor: schema, now: now, device: DeviceID(bits: UInt64(index + 1)))
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
                    devices[index] = try Self.seen(version: version, schema: schema, by: descriptor)
                }
            }
            if let version = devices[index] { versions.append(version) }
            if step == 0, beginsWithOne { devices = [devices[index], devices[index], devices[index]] }
        }
        return versions
    }
}
