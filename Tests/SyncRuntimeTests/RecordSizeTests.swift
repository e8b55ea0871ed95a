import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Who writes a record that the server would refuse for its size learns it at once.
@Suite struct RecordSizeTests {
    private static let note = Entities.note(strategy: .lastWriteWins)

    private func json(bytes: Int, key: String = "a") -> String {
        #"{"id":"\#(key)","title":"t","body":"\#(String(repeating: "x", count: bytes))"}"#
    }

    @Test func aRecordLargerThanTheServerTakesIsToldWhenItIsWritten() async throws {
        try await withWorld(count: 1, entities: Self.note, place: .server) { world in
            let device = world.devices[0]
            try await world.sync(0)
            let error = #expect(throws: SyncError.self) {
                try device.put(entity: Self.note, json: json(bytes: 4_200_000))
            }
            #expect(error?.kind == .invalidInput)
            #expect(error?.message.contains("4194304") == true, "\(error?.message ?? "")")
            #expect(try device.export(entity: Self.note).isEmpty)
            try device.put(entity: Self.note, json: json(bytes: 4_000_000))
            let report = try await world.sync(0)
            #expect(report.outcome == .synced)
        }
    }

    @Test func whereNoLimitIsKnownItIsWritten() async throws {
        try await withWorld(count: 1, entities: Self.note, place: .server) { world in
            let device = world.devices[0]
            try device.put(entity: Self.note, json: json(bytes: 4_200_000))
            let report = try await world.sync(0)
            #expect(report.outcome == .partial, "the server refuses it")
            // What is there can be shortened.
            try device.put(entity: Self.note, json: json(bytes: 100))
            let mended = try await world.sync(0)
            #expect(mended.outcome == .synced)
        }
        try await withWorld(count: 1, entities: Self.note, place: .folder) { world in
            try await world.sync(0)
            try world.devices[0].put(entity: Self.note, json: json(bytes: 4_200_000))
            let report = try await world.sync(0)
            #expect(report.outcome == .synced)
        }
    }
}
