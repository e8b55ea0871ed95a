import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncSchema
import Testing

/// A field whose enum lists integers in stores, on the wire and between devices.
@Suite struct IntegerEnumSyncTests {
    private static func task(levels: String) throws -> EntityDescriptor {
        let text = """
            {"title":"TaskRecord","type":"object","properties":{"id":{"type":"string"},
            "level":{"type":"integer","enum":\(levels),"default":1},
            "seen":{"type":"array","items":{"enum":\(levels)},"uniqueItems":true,"sync":{"merge":"union"}}},
            "required":["id","level"],"sync":{"key":"id","strategy":"set-union","indexes":[["level"]]}}
            """
        let report = SchemaLoader.load([
            SchemaSource(path: "task.schema.json", bytes: Array(text.utf8))
        ])
        #expect(report.diagnostics == [])
        return EntityDescriptor(schema: try #require(report.schemas.first))
    }

    private func values(_ device: World.Device, entity: EntityDescriptor, key: String) throws
        -> [FieldValue?]
    {
        try device.local(entity: entity, key: key)?.version.record.values.suffix(2) ?? []
    }

    @Test func aNumberThatOnlyNewerSchemasNameIsKeptAndMergesAsAnyOther() async throws {
        let (old, new) = (try Self.task(levels: "[1,2]"), try Self.task(levels: "[1,2,3]"))
        #expect(old == new, "to records, the names make no difference")
        let folder = FileManager.default.temporaryDirectory.path + "/entitysync-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let world = try World(devices: 2, entities: [old], path: folder)
        let (phone, laptop) = (world.devices[0], world.devices[1])
        let key = try phone.put(entity: old, json: #"{"id":"x","level":3,"seen":[10,2]}"#)
        for device in [0, 1] { try await world.sync(device) }
        #expect(try values(laptop, entity: old, key: key) == [.integer(3), .json("[10,2]")])

        _ = try laptop.put(entity: old, json: #"{"id":"x","seen":[10,2,1]}"#)
        _ = try phone.put(entity: old, json: #"{"id":"x","level":2.0,"seen":[2,3]}"#)
        for device in [1, 0, 1] { try await world.sync(device) }
        for device in [phone, laptop] {
            #expect(try values(device, entity: old, key: key) == [.integer(2), .json("[1,2,3]")])
        }
        let plain = try phone.put(entity: old, json: #"{"id":"y"}"#)
        #expect(try values(phone, entity: old, key: plain) == [.integer(1), nil])
        let error = #expect(throws: SyncError.self) {
            try phone.put(entity: old, json: #"{"id":"x","level":"2"}"#)
        }
        #expect(error?.message.contains("'level' must be an integer.") == true)
    }
}
