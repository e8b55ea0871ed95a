import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncSchema
import Testing

/// Maps and objects of any form in stores, on the wire and between devices.
@Suite struct MapSyncTests {
    private static func plugin() throws -> EntityDescriptor {
        let text = """
            {"title":"Plugin","type":"object","properties":{"id":{"type":"string"},
            "settings":{"type":"object"},
            "labels":{"type":"object","additionalProperties":{"type":"string","maxLength":20}}},
            "required":["id"],
            "sync":{"key":"id","strategy":"last-write-wins","granularity":"field"}}
            """
        let report = SchemaLoader.load([
            SchemaSource(path: "plugin.schema.json", bytes: Array(text.utf8))
        ])
        #expect(report.diagnostics == [])
        return EntityDescriptor(schema: try #require(report.schemas.first))
    }

    private func values(_ device: World.Device, entity: EntityDescriptor) throws -> [String] {
        try (device.local(entity: entity, key: "x")?.version.record.values.suffix(2) ?? []).map {
            if case .json(let text)? = $0 { text } else { "none" }
        }
    }

    @Test func eachIsOneValueThatReachesEveryDevice() async throws {
        let entity = try Self.plugin()
        let folder = FileManager.default.temporaryDirectory.path + "/entitysync-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let world = try World(devices: 2, entities: [entity], path: folder)
        let (phone, laptop) = (world.devices[0], world.devices[1])
        _ = try phone.put(
            entity: entity,
            json: #"{"id":"x","settings":{"size":1.50,"deep":{"b":[null]}},"labels":{"fr":"un","de":"eins"}}"#
        )
        for device in [0, 1] { try await world.sync(device) }
        #expect(
            try values(laptop, entity: entity)
                == [#"{"deep":{"b":[null]},"size":1.50}"#, #"{"de":"eins","fr":"un"}"#]
        )

        _ = try laptop.put(entity: entity, json: #"{"id":"x","settings":{"size":2}}"#)
        _ = try phone.put(entity: entity, json: #"{"id":"x","labels":{"en":"one"}}"#)
        for device in [1, 0, 1] { try await world.sync(device) }
        for device in [phone, laptop] {
            #expect(try values(device, entity: entity) == [#"{"size":2}"#, #"{"en":"one"}"#])
        }
        let error = #expect(throws: SyncError.self) {
            try phone.put(entity: entity, json: #"{"id":"x","labels":{"en":1}}"#)
        }
        #expect(error?.message.contains("'labels.en' must be a string.") == true)
    }
}
