import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncFileBackend
import SyncStore

/// The first sync of a device with a folder, and of another one with the same.
enum FolderFirstRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let pages = RecordPages(count: max(1000, bench.records / 10))
        let pending = try BenchStore.pending(bench: bench, pages: pages)
        let raw = try RawPull.filled(bench: bench, pages: pages, isPending: true)
        let records = (0..<pages.count).map { pages.records.record(index: $0) }
        var shares: [[Double]] = [[], [], []]
        let sides = try await bench.takeTurns(
            ours: Bench.Side<FolderSide>(
                prepare: { .product(try FolderRun(copying: pending, bench: bench)) },
                run: { try await $0.run(pages.count) },
                clear: { side in
                    for (index, share) in side.shares.enumerated() { shares[index].append(share) }
                    try side.clear(bench)
                }
            ),
            yardstick: Bench.Side<FolderSide>(
                prepare: { .byHand(try FolderBound(pending: raw, records: records, bench: bench)) },
                run: { try await $0.run(pages.count) },
                clear: { try $0.clear(bench) }
            )
        )
        let percent = shares.map { "\(Int(($0.median * 100).rounded())) %" }
        return .over(
            sides: sides,
            note:
                "\(pages.count) records; of ours \(percent[0]) was the first device, and within its store's "
                + "transactions passed \(percent[1]) on the first and \(percent[2]) on the other, encoding included"
        )
    }
}

/// One of the ways to bring records from a store through a folder into another store.
private enum FolderSide {
    case product(FolderRun)
    case byHand(FolderBound)

    /// Of the product's time: what passed until the first device was done, and in the store of each.
    var shares: [Double] {
        if case .product(let run) = self { run.shares } else { [] }
    }

    func run(_ count: Int) async throws {
        switch self {
        case .product(let run): try await run.run(count)
        case .byHand(let bound): try bound.run()
        }
    }

    func clear(_ bench: Bench) throws {
        switch self {
        case .product(let run): try run.clear(bench)
        case .byHand(let bound): try bound.clear(bench)
        }
    }
}

/// Two devices and a folder, of which the first device has records that nobody else knows.
private final class FolderRun {
    private let folders: [String]
    private let devices: [BenchDevice]
    private let watches = [StoreWatch(), StoreWatch()]
    /// Of the whole time: what passed until the first device was done, and in the store of each.
    private(set) var shares: [Double] = []

    init(copying folder: String, bench: Bench) throws {
        let shared = try bench.folder(path: "shared")
        folders = [shared, try bench.folder(path: "device"), try bench.folder(path: "device")]
        try FileManager.default.copyItem(
            atPath: BenchStore.path(folder: folder),
            toPath: BenchStore.path(folder: folders[1])
        )
        let watches = watches
        devices = try zip(folders.dropFirst(), watches).map { folder, watch in
            try BenchDevice(
                folder: folder,
                backend: FolderBackend(root: shared),
                watches: watch
            )
        }
    }

    func run(_ count: Int) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        try await devices[0].sync(pushed: count, pulled: 0)
        let first = (clock.now - start).seconds
        try await devices[1].sync(pushed: 0, pulled: count)
        let whole = (clock.now - start).seconds
        shares = [first / whole] + watches.map { $0.duration.seconds / whole }
    }

    func clear(_ bench: Bench) throws {
        for device in devices { device.store.close() }
        for folder in folders { try bench.remove(folder) }
    }
}
