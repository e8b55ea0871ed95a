import SyncChecks
import SyncCore
import TestSeeds
import Testing

@testable import SyncFileBackend

/// Seeded worlds: three devices, each with a disk of its own, and a folder service that is late.
@Suite struct ManyDevicesTests {
    @Test(arguments: TestSeeds.cases(0..<15))
    func endsWithTheSameHeadsEverywhere(seeds: TestSeeds) async throws {
        for seed in seeds { try await playFolders(seed: seed) }
    }

    private func playFolders(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let disks = (0..<3).map { _ in MemoryFileSystem() }
        let devices = disks.enumerated().map { TestDevice(number: UInt64($0.offset) + 1, files: $0.element) }
        let service = FolderService(
            disks: Dictionary(uniqueKeysWithValues: zip(devices.map(\.id), disks))
        )
        let fresh = TestDevice(number: 9, files: disks[0])
        try await play(seed: seed, random: &random, devices: devices, fresh: fresh) { chance, random in
            service.deliver(chance: chance, random: &random)
        }
    }

    @Test(arguments: TestSeeds.cases(0..<10))
    func endsWithTheSameHeadsEverywhereInABucket(seeds: TestSeeds) async throws {
        for seed in seeds { try await playBucket(seed: seed) }
    }

    private func playBucket(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let bucket = MemoryObjectStorage()
        let devices = (1...4).map { number in
            let device = TestDevice(number: number == 4 ? 9 : UInt64(number), files: MemoryFileSystem())
            device.storage = bucket
            return device
        }
        try await play(seed: seed, random: &random, devices: Array(devices[..<3]), fresh: devices[3]) {
            (_, _) in
        }
    }

    /// Three devices edit, sync and compact; `deliver` brings files with the given chance.
    private func play(
        seed: UInt64,
        random: inout SeededRandom,
        devices: [TestDevice],
        fresh: TestDevice,
        deliver: (Double, inout SeededRandom) -> Void
    ) async throws {
        for device in devices {
            device.limits.maxOwnFiles = Int.random(in: 1...4, using: &random)
            device.limits.collectBytes = Bool.random(using: &random) ? -1_000_000 : 1 << 20
            device.limits.pageItems = Int.random(in: 1...20, using: &random)
            if seed % 2 == 1 { device.limits.holdLittle(seed) }
            try await device.sync()
        }
        // Whoever reads must be known to the others before they drop tombstones.
        deliver(1, &random)
        var written: [Version] = []
        for _ in 0..<Int.random(in: 5...80, using: &random) {
            let device = devices[Int.random(in: 0..<3, using: &random)]
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let key = "key \(Int.random(in: 0..<8, using: &random))"
                let isDeleted = Int.random(in: 0..<3, using: &random) == 0
                written.append(device.edit(key, value: "\(written.count)", isDeleted: isDeleted))
            }
            try await device.sync()
            deliver(Double.random(in: 0...1, using: &random), &random)
        }
        for round in 0..<4 {
            for device in devices {
                let outcome = try await device.sync()
                if round > 1 { #expect(outcome.diagnostics.isEmpty, "seed \(seed): \(outcome.diagnostics)") }
                deliver(1, &random)
            }
        }
        let outcome = try await fresh.sync()
        #expect(outcome.diagnostics.isEmpty, "seed \(seed): \(outcome.diagnostics)")
        let byKey = Dictionary(grouping: written, by: \.key)
        for (key, versions) in byKey {
            let expected = maximal(versions: versions)
            for device in devices {
                #expect(device.heads[RecordKey(key)] == expected, "seed \(seed), \(key), \(device.label)")
            }
            // A new device may miss tombstones that nobody needs any more, and nothing else.
            let known = fresh.heads[RecordKey(key)]
            let isForgotten = known == nil && expected.allSatisfy(\.isDeleted)
            #expect(known == expected || isForgotten, "seed \(seed), \(key), fresh reader")
        }
        #expect(
            outcome.items.count == fresh.heads.values.map(\.count).reduce(0, +),
            "nothing superseded came"
        )
        for device in devices {
            let count = try await device.backend.reader.ownListing(device: device.id).files.count
            #expect(count <= 16, "seed \(seed)")
        }
    }
}

extension FolderLimits {
    /// Limits so small that files are read in pieces, and what is new in rounds.
    fileprivate mutating func holdLittle(_ seed: UInt64) {
        var random = SeededRandom(seed: seed &* 31)
        pieceBytes = Int.random(in: 200...1_000, using: &random)
        roundBytes = Int.random(in: 1...2_000, using: &random)
        mergePieceBytes = Int.random(in: 200...1_000, using: &random)
        pushLimit = PushLimit(changes: Int.random(in: 1...3, using: &random), bytes: 200)
    }
}
