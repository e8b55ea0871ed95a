public import SyncCore
import SyncRuntime

/// The laws that merging obeys for one entity: the same result on all devices, in every order.
///
/// Versions come from a seeded history: devices that edit, delete, re-create and exchange one record, with clocks
/// that are wrong. A broken law is a `LawViolation` with the seed and the story.
public struct MergeLaws: Sendable {
    let descriptor: EntityDescriptor

    /// Checks one entity.
    public init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
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
            let versions = history(&seed, steps: steps)
            for _ in 0..<24 {
                guard let one = versions.randomElement(using: &seed),
                    let two = versions.randomElement(using: &seed),
                    let three = versions.randomElement(using: &seed)
                else { continue }
                try checkPair(one, two, number)
                try checkTriple(one, two, three, number)
            }
        }
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
            guard case .merged(let again, _) = merge(left, one), again == left else {
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

    /// What devices must agree on at once. The times of equal content follow when they next exchange.
    private func content(_ version: SyncRecord) -> [String] {
        [
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
    /// All versions that three devices make of one record.
    func history(_ seed: inout Seed, steps: Int) -> [SyncRecord] {
        let generator = RecordGenerator(descriptor)
        let key = "00000000-0000-4000-8000-000000000042"
        var devices: [SyncRecord?] = [nil, nil, nil]
        var sequences: [Int64] = [0, 0, 0]
        var versions: [SyncRecord] = []
        for step in 0..<steps {
            let index = Int.random(in: 0..<3, using: &seed)
            if step > 0, Int.random(in: 0..<3, using: &seed) == 0 {
                let other = (index + 1 + Int.random(in: 0..<2, using: &seed)) % 3
                guard let theirs = devices[other] else { continue }
                devices[index] =
                    devices[index].map { Self.merged(Merge(descriptor)($0, theirs), $0) } ?? theirs
            } else {
                let now = Timestamp(
                    microseconds: Int64(step + Int.random(in: -3...3, using: &seed)) * 1_000_000
                )
                let editor = Editor(descriptor, now: now, device: DeviceID(bits: UInt64(index + 1)))
                let current = devices[index]
                let value =
                    current.map { generator.edit($0.record, seed: &seed) }
                    ?? generator.record(key: key, seed: &seed)
                var edit = Editor.Edit(current: current, record: value)
                edit.isDeleted = current != nil && Int.random(in: 0..<5, using: &seed) == 0
                let outcome = editor(edit, key: RecordKey(key)) {
                    sequences[index] += 1
                    return sequences[index]
                }
                if case .edited(let version) = outcome { devices[index] = version }
            }
            if let version = devices[index] { versions.append(version) }
        }
        return versions
    }
}
