import SyncCore
import SyncRuntime

/// The shared data of an entity's stories: keys, values, and reconcilers for each device and remote.
struct PlanMaterial: Sendable {
    let descriptor: EntityDescriptor
    /// Keys sorted by bytes, with the values of their fields.
    let keys: [(key: RecordKey, values: [FieldValue?])]
    /// Whole records that edits take values from.
    let variants: [Record]
    /// Reconcilers by remote and device.
    private let tables: [PlanStory.Place: [Reconcile]]
    let uniqueConflicts: [UniqueConflict]
    let heads: HeadSet
    let merge: Merge
    /// The indices of fields that an edit may change.
    let free: [Int]
    /// The indices of fields that accept any short text.
    let texts: [Int]

    static let maxKeys = 3
    static let maxDevices = 4
    private static let variantCount = 12

    init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
        let generator = RecordGenerator(descriptor)
        var draw = Seed(1)
        keys = (1...Self.maxKeys).map { number in
            let record = generator.record(number: number, seed: &draw)
            return (
                descriptor.key(of: record) ?? RecordKey("\(number)"),
                descriptor.layout.key.map { record.values[$0] }
            )
        }
        .sorted { $0.key < $1.key }
        let first = generator.record(number: 1, seed: &draw)
        variants = (0..<Self.variantCount).map { number in
            var record = number == 0 ? first : generator.record(number: 1, seed: &draw)
            // Most records share the unique values, so that records created separately are duplicates.
            for list in descriptor.layout.unique where number % 4 > 0 {
                for index in list { record.values[index] = first.values[index] }
            }
            for index in descriptor.layout.localOnly {
                record.values[index] = generator.edit(first, seed: &draw).values[index]
            }
            return record
        }
        let devices = (0..<Self.maxDevices).map(Self.device)
        tables = Dictionary(
            uniqueKeysWithValues: PlanStory.Place.allCases.map { place in
                (
                    place,
                    devices.map {
                        Reconcile(
                            descriptor,
                            own: OwnDevices(current: $0),
                            remote: place.remote,
                            // These stories collect no tombstones.
                            dropsTombstones: false
                        )
                    }
                )
            }
        )
        uniqueConflicts = devices.map { UniqueConflict(descriptor: descriptor, own: OwnDevices(current: $0)) }
        heads = HeadSet(descriptor)
        merge = Merge(descriptor: descriptor)
        let free = descriptor.layout.units.flatMap(\.fields)
        let unique = Set(descriptor.layout.unique.joined())
        self.free = free
        texts = free.filter { index in
            guard case .string(let minimum, let maximum, nil, nil) = descriptor.fields[index].type else {
                return false
            }
            return (minimum ?? 0) <= 6 && (maximum ?? .max) >= 10 && !unique.contains(index)
        }
    }

    /// Whether records with different keys can share unique values.
    var hasUnique: Bool {
        guard let list = descriptor.layout.unique.first else { return false }
        return Set(keys.map(\.key)).count == keys.count && Set(list).isDisjoint(with: descriptor.layout.key)
    }

    static func device(index: Int) -> DeviceID { DeviceID(bits: UInt64(index + 1)) }

    func tables(at place: PlanStory.Place) -> [Reconcile] { tables[place] ?? [] }

    /// A new record with a key.
    func record(key: Int, draw: inout Seed) -> Record {
        var record = variants[Int.random(in: 0..<variants.count, using: &draw)]
        for (position, index) in descriptor.layout.key.enumerated() {
            record.values[index] = keys[key].values[position]
        }
        return record
    }

    /// The record with one or two fields taken from another record.
    func edit(_ record: Record, draw: inout Seed) -> Record {
        var record = record
        for _ in 0..<Int.random(in: 1...2, using: &draw) where !free.isEmpty {
            let other = variants[Int.random(in: 0..<variants.count, using: &draw)]
            let index = free[Int.random(in: 0..<free.count, using: &draw)]
            record.values[index] = other.values[index]
        }
        return record
    }
}
