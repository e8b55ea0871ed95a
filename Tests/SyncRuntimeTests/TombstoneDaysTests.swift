import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Devices drop the tombstones of an entity after its `tombstoneDays`.
@Suite struct TombstoneDaysTests {
    private static func note(strategy: MergeStrategy = .lastWriteWins, days: Int? = 30) -> EntityDescriptor {
        EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "body", type: .string(), isNullable: true),
            ],
            key: ["id"],
            strategy: strategy,
            search: ["body"],
            tombstoneDays: days
        )
    }

    private static let word = "secretword"
    private static let long = "\(Array(repeating: word, count: 4_000).joined(separator: " "))"

    /// The files of a device's store that hold the word in any case.
    private func filesWithWord(_ world: World, device: String) -> [String] {
        ["", "-wal"].filter { suffix in
            let path = "\(world.path)/\(device).sqlite\(suffix)"
            guard let data = FileManager.default.contents(atPath: path) else { return false }
            return data.range(of: Data(Self.word.utf8)) != nil
        }
    }

    private func passDays(_ days: Int64, in world: World) {
        for device in world.devices { device.clock.advance(seconds: days * 86_400) }
    }

    @Test(arguments: World.Place.allCases)
    func wordsOfADeletedRecordAreNotReadableInTheFileAfterItsDays(place: World.Place) async throws {
        let note = Self.note()
        try await withWorld(count: 2, entities: note, place: place) { world in
            let device = world.devices[0]
            try device.put(entity: note, json: #"{"id":"short","body":"\#(Self.word)"}"#)
            try device.put(entity: note, json: #"{"id":"long","body":"\#(Self.long)"}"#)
            for number in 0..<40 {
                try device.put(entity: note, json: #"{"id":"other\#(number)","body":"stays \#(number)"}"#)
            }
            try await world.converge()
            #expect(!filesWithWord(world, device: "B").isEmpty)
            try device.delete(entity: note, key: "short")
            try device.delete(entity: note, key: "long")
            try await world.converge()
            passDays(29, in: world)
            try await world.converge()
            #expect(try device.local(entity: note, key: "short")?.visibility == .deleted)
            passDays(11, in: world)
            try await world.converge()
            for device in world.devices {
                #expect(try device.local(entity: note, key: "short") == nil)
                #expect(filesWithWord(world, device: device.name) == [])
                #expect(try device.export(entity: note).count == 40)
            }
        }
    }

    @Test func aTombstoneStaysForEverWithoutDays() async throws {
        let note = Self.note(days: nil)
        try await withWorld(count: 1, entities: note) { world in
            try world.devices[0].put(entity: note, json: #"{"id":"a"}"#)
            try await world.sync(0)
            try world.devices[0].delete(entity: note, key: "a")
            try await world.sync(0)
            passDays(4_000, in: world)
            try await world.sync(0)
            #expect(try world.devices[0].local(entity: note, key: "a")?.visibility == .deleted)
        }
    }

    @Test func aDeleteThatWaitsOrConflictsIsNeverDropped() async throws {
        let note = Self.note(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: note, place: .server) { world in
            let (here, there) = (world.devices[0], world.devices[1])
            for key in ["waits", "conflicts"] {
                try here.put(entity: note, json: #"{"id":"\#(key)","body":"old"}"#)
            }
            try await world.converge()
            try here.delete(entity: note, key: "conflicts")
            try there.put(entity: note, json: #"{"id":"conflicts","body":"new"}"#)
            try await world.sync(1)
            try await world.sync(0)
            #expect(try here.conflicts(entity: note) == ["conflicts"])
            try here.delete(entity: note, key: "waits")
            passDays(40, in: world)
            // A sync without network drops nothing that waits.
            world.server?.setFaults { _, _ in .unreachable }
            _ = try? await world.sync(0)
            #expect(try here.local(entity: note, key: "waits")?.state == .pending)
            world.server?.setFaults(nil)
            try await world.sync(0)
            #expect(try here.local(entity: note, key: "conflicts")?.visibility == .deleted)
            #expect(try here.conflicts(entity: note) == ["conflicts"])
            try await world.sync(1)
            #expect(try there.local(entity: note, key: "waits")?.visibility != .live)
        }
    }

    @Test(arguments: World.Place.allCases, MergeStrategy.allCases)
    func anEditThatComesAfterItsDaysIsNotLostAndRenewsNoIdentity(
        place: World.Place,
        strategy: MergeStrategy
    ) async throws {
        let note = Self.note(strategy: strategy)
        try await withWorld(count: 2, entities: note, place: place) { world in
            let (here, away) = (world.devices[0], world.devices[1])
            try here.put(entity: note, json: #"{"id":"a","body":"old"}"#)
            try await world.converge()
            try here.delete(entity: note, key: "a")
            try await world.converge(order: [0])
            passDays(40, in: world)
            try await world.converge(order: [0])
            // In a folder, who is away has still to take the delete.
            let kept = try here.local(entity: note, key: "a")?.visibility
            #expect(kept == (place == .server ? nil : .deleted))
            let identity = try here.store.read { try $0.value(name: "device") }
            try away.put(entity: note, json: #"{"id":"a","body":"later"}"#)
            try await world.sync(1)
            for key in try away.conflicts(entity: note) {
                try away.resolve(entity: note, key: key, resolution: .local)
            }
            try await world.converge()
            #expect(try here.value(entity: note, key: "a", field: "body")?.string == "later")
            let after = try here.store.read { try $0.value(name: "device") }
            #expect(after == identity)
        }
    }

    /// An edit that was made before the delete and arrives after its days means the same on every device.
    @Test(arguments: World.Place.allCases)
    func anEarlierEditThatComesAfterTheDaysIsShownByAllOrByNone(place: World.Place) async throws {
        let note = Self.note(days: 1)
        try await withWorld(count: 2, entities: note, place: place) { world in
            let (here, away) = (world.devices[0], world.devices[1])
            try here.put(entity: note, json: #"{"id":"a","body":"mine"}"#)
            try away.put(entity: note, json: #"{"id":"a","body":"earlier"}"#)
            for device in world.devices { device.clock.advance(seconds: 60) }
            try here.delete(entity: note, key: "a")
            try await world.sync(0)
            try await world.sync(1)
            passDays(3, in: world)
            try await world.converge()
            #expect(try here.export(entity: note) == away.export(entity: note))
            passDays(3, in: world)
            try await world.converge()
            try await world.converge()
            #expect(try here.export(entity: note) == away.export(entity: note))
            #expect(
                try world.devices.allSatisfy { try $0.local(entity: note, key: "a")?.visibility != .deleted }
            )
        }
    }
}
