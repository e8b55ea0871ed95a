public import SyncCore
import SyncRuntime
import SyncStore

/// Laws of every entity, whatever its schema: records survive the wire and the store, and merging gives the
/// same record in every order.
public struct EntityLaws: Sendable {
    private let descriptor: EntityDescriptor
    private let entities: [EntityDescriptor]

    /// Makes the laws of one entity. `entities` are all entities of the store.
    public init(descriptor: EntityDescriptor, among entities: [EntityDescriptor]) {
        self.descriptor = descriptor
        self.entities = EntityOrder.sorted(entities)
    }

    /// The first violation for `seeds` seeds from `first` on; nil if all laws hold. The rule is `round-trip`
    /// or `merge-law`; the description has the seed and the records.
    public func violation(firstSeed first: UInt64, seeds: UInt64 = 12) -> StoryViolation? {
        let first = min(first, .max - seeds)
        do {
            for number in first..<(first + seeds) { try checkRoundTrips(number) }
        } catch let found as StoryViolation { return found } catch {
            return StoryViolation(
                rule: "round-trip",
                description: "\(descriptor.name): \(Self.words(error: error))"
            )
        }
        do { try MergeLaws(descriptor: descriptor).check(seeds: first..<(first + seeds)) } catch {
            return StoryViolation(rule: "merge-law", description: Self.words(error: error))
        }
        return nil
    }

    private func checkRoundTrips(_ number: UInt64) throws {
        var seed = Seed(number)
        let generator = RecordGenerator(descriptor)
        let first = generator.record(number: Int.random(in: 1...6, using: &seed), seed: &seed)
        // Adds the times that a write sets.
        let record = withTimes(record: first)
        for form in [RecordForm.wire, .plain] {
            var expected = record
            if form == .wire { for index in descriptor.layout.localOnly { expected.values[index] = nil } }
            var decoder = RecordDecoder(descriptor: descriptor, form: form)
            let found: Record
            do {
                found = try decoder.record(
                    RecordEncoder(descriptor: descriptor, form: form).bytes(record)
                )
            } catch {
                throw violation(
                    what: "its \(form) form cannot be read: \(Self.words(error: error))",
                    seed: number,
                    record: record
                )
            }
            if found.values != expected.values {
                throw violation(what: "its \(form) form is another record", seed: number, record: record)
            }
        }
        try checkStore(record, number: number)
    }

    private func checkStore(_ record: Record, number: UInt64) throws {
        let store = try SQLiteStore.open(
            path: "/store.sqlite",
            entities: entities,
            random: SeededRandom(number),
            medium: SimulatedDisk(seed: number)
        )
        defer { store.close() }
        guard let key = descriptor.key(of: record) else {
            throw violation(what: "it has no key", seed: number, record: record)
        }
        let editTimestamp = EditTimestamp(
            time: Timestamp(microseconds: 0),
            device: DeviceID(bits: 1),
            sequence: 1
        )
        let version = SyncRecord(
            entity: descriptor.name,
            key: key,
            record: record,
            metadata: VersionMetadata(first: editTimestamp)
        )
        try store.write(.full) {
            try $0.save(entity: descriptor, record: LocalRecord(version: version, state: .pending))
        }
        let found = try store.read { try $0.load(entity: descriptor, key: key) }
        if found?.version.record.values != record.values {
            throw violation(what: "the store gives back another record", seed: number, record: record)
        }
    }

    private func withTimes(record: Record) -> Record {
        var record = record
        for index in [descriptor.layout.created, descriptor.layout.updated].compactMap({ $0 }) {
            record.values[index] = .timestamp(Timestamp(microseconds: 1_767_225_600_000_000))
        }
        return record
    }

    private func violation(what: String, seed: UInt64, record: Record) -> StoryViolation {
        let json = String(
            decoding: RecordEncoder(descriptor: descriptor, form: .plain).bytes(record),
            as: UTF8.self
        )
        return StoryViolation(
            rule: "round-trip",
            description: "\(descriptor.name): \(what) (seed \(seed)):\n\(json)"
        )
    }

    private static func words(error: any Error) -> String {
        (error as? FieldError)?.message ?? (error as? SyncError)?.message ?? "\(error)"
    }
}
