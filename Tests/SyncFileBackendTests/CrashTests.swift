import SyncCore
import Testing

@testable import SyncFileBackend

/// The process dies at every write and removal in turn; the story then goes on as if nothing had been.
@Suite struct CrashTests {
    /// A story of two devices with edits, deletes and compactions. Returns all versions that were written.
    func tell(_ disk: MemoryFileSystem, devices: [TestDevice]) async throws -> [Version] {
        var written: [Version] = []
        for round in 0..<4 {
            for device in devices {
                written.append(device.edit("own of \(device.label)", value: "\(round)"))
                if round % 3 == 2 { written.append(device.delete("shared")) }
                if round % 3 == 0 { written.append(device.edit("shared", value: "\(round)")) }
                try await syncThroughCrash(disk, device: device)
            }
        }
        disk.fail(nil)
        for _ in 0..<2 { for device in devices { try await device.sync() } }
        return written
    }

    func syncThroughCrash(_ disk: MemoryFileSystem, device: TestDevice) async throws {
        do {
            try await device.sync()
        } catch is MemoryFileSystem.Crash {
            disk.fail(nil)
            try await device.sync()
        } catch let error as SyncError where error.kind == .inputOutput || error.kind == .notPermitted {
            disk.fail(nil)
            try await device.sync()
        }
    }

    func devices(disk: MemoryFileSystem) -> [TestDevice] {
        [UInt64(1), 2].map { number in
            let device = TestDevice(number: number, files: disk)
            device.limits.maxOwnFiles = 1
            device.limits.collectBytes = number == 2 ? -1_000_000 : 1 << 20
            return device
        }
    }

    @Test(arguments: MemoryFileSystem.Fault.Kind.allCases.filter { $0 != .torn })
    func losesAndRepeatsNothing(kind: MemoryFileSystem.Fault.Kind) async throws {
        var step = 0
        while true {
            let disk = MemoryFileSystem()
            let devices = devices(disk: disk)
            disk.fail(.init(step: step, kind: kind))
            let written = try await tell(disk, devices: devices)
            let fresh = TestDevice(number: 9, files: disk)
            let diagnostics = try await fresh.sync().diagnostics
            #expect(diagnostics.isEmpty, "step \(step), \(kind): \(diagnostics)")
            for device in devices + [fresh] {
                for (key, versions) in Dictionary(grouping: written, by: \.key) {
                    #expect(
                        device.heads[RecordKey(key)] == maximal(versions: versions),
                        "step \(step), \(kind), \(key)"
                    )
                }
            }
            #expect(devices.allSatisfy { $0.pending.isEmpty && $0.id.bits < 9 }, "step \(step), \(kind)")
            if !disk.hasFailed { break }
            step += 1
        }
        #expect(step > 25, "the story has that many writes and removals")
    }

    /// A medium that lies tears a file under its final name: what stood in it is published again, if needed by
    /// another incarnation, and the torn file is reported.
    @Test func losesNothingToAMediumThatTears() async throws {
        for step in 0..<30 {
            let disk = MemoryFileSystem()
            let devices = devices(disk: disk)
            disk.fail(.init(step: step, kind: .torn))
            _ = try await tell(disk, devices: devices)
            let fresh = TestDevice(number: 9, files: disk)
            try await fresh.sync()
            for device in devices {
                #expect(device.heads == fresh.heads, "step \(step)")
                #expect(device.shows("own of \(device.label)") == ["{\"value\":\"3\"}"], "step \(step)")
                #expect(device.pending.isEmpty)
            }
        }
    }
}
