import EntitySync
import SyncCore
import SyncFileBackend

/// Whether a folder sync with nothing to do costs what the folder holds.
enum FolderIdleRatio {
    static let few = 100

    static func measure(_ bench: Bench) async throws -> Measurement {
        let many = max(few * 2, bench.records / 10)
        let (large, small) = (
            try await pair(count: many, bench: bench), try await pair(count: few, bench: bench)
        )
        let repeats = max(10, min(100, bench.records / 1000))
        func side(devices: [BenchDevice]) -> Bench.Side<Void> {
            Bench.Side(
                prepare: {},
                run: {
                    for _ in 0..<repeats {
                        for device in devices { try await device.sync(pushed: 0, pulled: 0) }
                    }
                }
            )
        }
        let sides = try await bench.takeTurns(ours: side(devices: large), yardstick: side(devices: small))
        var found = Measurement.over(
            sides: sides,
            note: "\(many) records against \(few), means of \(repeats) syncs on each of two devices"
        )
        found.ours /= Double(repeats * 2)
        found.yardstick? /= Double(repeats * 2)
        return found
    }

    /// Two devices that have exchanged so many records through a folder and have nothing left to do.
    private static func pair(count: Int, bench: Bench) async throws -> [BenchDevice] {
        let shared = try bench.folder(path: "shared")
        let devices = try (0..<2).map { _ in
            try BenchDevice(
                folder: try bench.folder(path: "device"),
                backend: FolderBackend(root: shared),
                entities: SyncRegistry.descriptors
            )
        }
        try devices[0].write(RecordPages(count: count))
        try await devices[0].sync(pushed: count, pulled: 0)
        try await devices[1].sync(pushed: 0, pulled: count)
        for device in devices + devices { try await device.sync(pushed: 0, pulled: 0) }
        return devices
    }
}
