import SyncCore
import SyncFileBackend
import SyncRuntime

@testable import SyncChecks

/// Devices with the real store and engine, each with its own copy of a folder on a cloud drive. Files are
/// transferred only when a story says so.
final class FolderStory {
    let world: OutsideWorld
    let entity: EntityDescriptor
    private(set) var devices: [OutsideDevice] = []

    /// Makes devices with notes of one strategy.
    init(names: String..., strategy: MergeStrategy = .lastWriteWins) throws {
        let fields = [
            FieldDescriptor(name: "id", type: .string(minLength: 1, maxLength: 60), isRequired: true),
            FieldDescriptor(name: "text", type: .string(maxLength: 1_000)),
            FieldDescriptor(name: "createdAt", type: .dateTime, isRequired: true),
            FieldDescriptor(name: "updatedAt", type: .dateTime, isRequired: true),
        ]
        entity = EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: fields,
            key: ["id"],
            strategy: strategy,
            created: "createdAt",
            updated: "updatedAt"
        )
        world = OutsideWorld(
            story: OutsideStory(seed: 7, schemas: 0, devices: 0, place: .cloud, steps: []),
            entities: [entity],
            promises: []
        )
        for name in names { _ = try add(name) }
    }

    deinit { for device in devices { device.close() } }

    /// Adds a device with an empty copy of the folder.
    func add(_ name: String) throws -> OutsideDevice {
        let device = world.makeDevice(name, index: devices.count)
        try device.open()
        devices.append(device)
        return device
    }

    // MARK: What people do

    /// Writes a note, a second after the previous write.
    func write(_ text: String, in key: String, on device: OutsideDevice) throws {
        world.pass(seconds: 1)
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("id")
        writer.string(key)
        writer.name("text")
        writer.string(text)
        writer.endObject()
        _ = try device.write { try $0.put(entity: entity, json: writer.bytes) }
    }

    func delete(_ key: String, on device: OutsideDevice) throws {
        world.pass(seconds: 1)
        try device.write { try $0.delete(entity: entity, key: RecordKey(key)) }
    }

    // MARK: How devices meet

    /// Syncs a device with its own copy of the folder.
    @discardableResult
    func sync(_ device: OutsideDevice, rejoins: Bool = false) async throws -> SyncReport {
        world.pass(seconds: 1)
        return try await device.sync(rejoins: rejoins)
    }

    /// Transfers files between a device and the cloud: all, or those whose paths contain one of the words.
    func travel(_ device: OutsideDevice, only words: String...) {
        world.exchange(device: device) { path in words.isEmpty || words.contains { path.contains($0) } }
    }

    /// Transfers all files of a device before and after a sync.
    @discardableResult
    func meet(_ device: OutsideDevice, rejoins: Bool = false) async throws -> SyncReport {
        travel(device)
        let report = try await sync(device, rejoins: rejoins)
        travel(device)
        return report
    }

    /// Syncs all devices in rounds. Returns the last report of each.
    @discardableResult
    func meetAll(_ rounds: Int = 3, but absent: OutsideDevice? = nil) async throws -> [SyncReport] {
        var reports: [SyncReport] = []
        for _ in 0..<rounds {
            reports = []
            for device in devices where device !== absent && !device.isGone {
                reports.append(try await meet(device))
            }
        }
        return reports
    }

    /// Removes files from the cloud, and so from all copies.
    func lose(_ isLost: (String) -> Bool) {
        world.cloud = world.cloud.filter { !isLost($0.key) }
        for device in devices {
            for path in world.files(of: device).keys where isLost(path) {
                try? device.disk.remove(OutsideWorld.folder + "/" + path)
            }
            device.travelled = device.travelled.filter { !isLost($0.key) }
        }
    }

    // MARK: What people see

    /// The texts shown by a device, by key.
    func texts(device: OutsideDevice) throws -> [String: String] {
        var texts: [String: String] = [:]
        for (place, row) in try device.shown() {
            if case .text(let text)? = row.record.values[1] { texts[place.key.text] = text }
        }
        return texts
    }

    /// All texts on a device: shown, in a conflict, or in the journal.
    func found(device: OutsideDevice) throws -> Set<String> {
        var found = Set(try texts(device: device).values)
        let others =
            try device.conflicts().flatMap { [$0.local, $0.remote] } + device.journal().map(\.lost.record)
        for record in others {
            if let value = record?.values[1], case .text(let text) = value { found.insert(text) }
        }
        return found
    }

    /// The texts that a new device shows.
    func newcomer() async throws -> [String: String] {
        guard let device = await world.newcomer() else { return [:] }
        defer { device.close() }
        return try texts(device: device)
    }
}

extension SyncReport {
    /// The rules of skipped files and differences.
    var rules: [String] { diagnostics.map(\.rule) }
}
