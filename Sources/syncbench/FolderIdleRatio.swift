import EntitySync
import SyncCore
import SyncEntities
import SyncFileBackend
import SyncRuntime

/// Whether a folder sync with nothing to do costs what the folder holds.
enum FolderIdleRatio {
    static let few = 100

    static func measure(_ bench: Bench) async throws -> Measurement {
        let many = max(few * 2, bench.records / 10)
        let (large, small) = (try await pair(many, bench), try await pair(few, bench))
        let repeats = max(10, min(100, bench.records / 1000))
        func side(_ devices: [BenchDevice]) -> Bench.Side<Void> {
            Bench.Side(
                prepare: {},
                run: {
                    for _ in 0..<repeats {
                        for device in devices { try await device.sync(pushed: 0, pulled: 0) }
                    }
                }
            )
        }
        let sides = try await bench.takeTurns(ours: side(large), yardstick: side(small))
        let single = { (seconds: Double) in seconds / Double(repeats * 2) }
        return Measurement(
            ratio: sides.ours.median / sides.yardstick.median,
            ours: single(sides.ours.median),
            yardstick: single(sides.yardstick.median),
            note: "\(many) records against \(few), means of \(repeats) syncs on each of two devices"
        )
    }

    /// Two devices that have exchanged so many records through a folder and have nothing left to do.
    private static func pair(_ count: Int, _ bench: Bench) async throws -> [BenchDevice] {
        let folder = try bench.folder("folder-idle")
        let devices = try ["a", "b"].map { name in
            try BenchDevice(
                "\(folder)/\(name).sqlite",
                SyncRegistry.descriptors,
                FolderBackend(root: "\(folder)/shared", files: POSIXFileSystem())
            )
        }
        try devices[0].write(0..<count, of: SystemRecords.entity, SystemRecords.record)
        try await devices[0].sync(pushed: count, pulled: 0)
        try await devices[1].sync(pushed: 0, pulled: count)
        for device in devices + devices { _ = try await device.engine.sync() }
        return devices
    }
}
