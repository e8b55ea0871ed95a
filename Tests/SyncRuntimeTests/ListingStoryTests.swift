import SyncChecks
import SyncCore
import TestSeeds
import Testing

@testable import SyncRuntime

/// Random stories at a remote that keeps no tombstones and whose list is incomplete now and then.
///
/// The oracle knows only which records a device showed before a sync, and which ones somebody deleted.
@Suite struct ListingStoryTests {
    private static let note = FullStateTests.note

    @Test func whatNobodyDeletedStaysThroughIncompleteListings() async throws {
        for seed in TestSeeds(0..<60) {
            let lost = try await Story(seed: seed).play()
            #expect(lost.isEmpty, "seed \(seed) loses \(lost.sorted())")
        }
    }

    /// Two devices and people at the remote itself, who write, delete and sync.
    final class Story {
        private var draw: Seed
        private let remote = PlainRemote(entity: note.name)
        private var count = 0
        private var deleted: Set<String> = []
        private var lost: Set<String> = []

        init(seed: UInt64) { draw = Seed(seed) }

        /// The records that went from a device although nobody deleted them.
        func play() async throws -> Set<String> {
            try await withWorld(count: 2, entities: note) { world in
                for _ in 0..<Int.random(in: 8...30, using: &draw) {
                    let device = world.devices[Int.random(in: 0...1, using: &draw)]
                    try await step(device)
                }
            }
            return lost
        }

        private func step(_ device: World.Device) async throws {
            switch Int.random(in: 0..<10, using: &draw) {
            case 0...2: for _ in 0..<Int.random(in: 1...6, using: &draw) { try put(freshKey(), on: device) }
            case 3:
                if let key = try shown(on: device).sorted().randomElement(using: &draw) {
                    try put(key, on: device)
                }
            case 4: try await delete(on: device)
            case 5:
                let key = freshKey()
                await remote.write(key: key, body: body(key))
            case 6...7: try await sync(device)
            default: try await syncWithPart(device)
            }
        }

        private func freshKey() -> String {
            count += 1
            return "n\(count)"
        }

        private func body(_ key: String) -> String {
            let time = "2025-12-25T09:21:01Z"
            return #"{"id":"\#(key)","title":"\#(count)","createdAt":"\#(time)","updatedAt":"\#(time)"}"#
        }

        private func put(_ key: String, on device: World.Device) throws {
            count += 1
            _ = try device.put(entity: note, json: #"{"id":"\#(key)","title":"\#(count)"}"#)
        }

        private func delete(on device: World.Device) async throws {
            if Bool.random(using: &draw) {
                guard let key = try shown(on: device).sorted().randomElement(using: &draw) else { return }
                try device.delete(entity: note, key: key)
                deleted.insert(key)
            } else if let key = await remote.keys.sorted().randomElement(using: &draw) {
                await remote.keep(keys: remote.keys.subtracting([key]))
                deleted.insert(key)
            }
        }

        private func shown(on device: World.Device, isClean: Bool = false) throws -> Set<String> {
            var keys: Set<String> = []
            try device.store.read { snapshot in
                try snapshot.scan(entity: note, includeHidden: false) { local in
                    if !isClean || local.state == .synced { keys.insert(local.version.key.text) }
                }
            }
            return keys
        }

        private func sync(_ device: World.Device) async throws {
            let before = try shown(on: device)
            _ = try await SyncEngine(
                store: device.store,
                backend: remote,
                environment: SyncEnvironment(
                    clock: device.clock,
                    random: SeededRandom(7),
                    label: device.name
                )
            ).sync()
            lost.formUnion(before.subtracting(try shown(on: device)).subtracting(deleted))
        }

        /// A sync whose listings show less than half of what the device knows to be there.
        private func syncWithPart(_ device: World.Device) async throws {
            let known = try shown(on: device, isClean: true).sorted()
            guard !known.isEmpty else { return }
            let part = known.shuffled(using: &draw).prefix(
                Int.random(in: 0...(known.count - 1) / 2, using: &draw)
            )
            let hidden = Set(known).subtracting(part)
            await remote.show { !hidden.contains($0) }
            try await sync(device)
            await remote.show(nil)
        }
    }
}
