import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncSchema
import Testing

/// A list with `uniqueItems` and `"ordered": true` in stores, on the wire and between devices.
@Suite struct OrderedListSyncTests {
    private static func trip(strategy: String) throws -> EntityDescriptor {
        let text = """
            {"title":"Trip","type":"object","properties":{"id":{"type":"string"},
            "stops":{"type":"array","items":{"type":"string"},"uniqueItems":true,"sync":{"ordered":true}}},
            "required":["id"],"sync":{"key":"id","strategy":"\(strategy)"}}
            """
        let report = SchemaLoader.load([
            SchemaSource(path: "trip.schema.json", bytes: Array(text.utf8))
        ])
        #expect(report.diagnostics == [])
        return EntityDescriptor(schema: try #require(report.schemas.first))
    }

    private func stops(_ device: World.Device, entity: EntityDescriptor) throws -> String? {
        guard case .json(let text)? = try device.local(entity: entity, key: "x")?.version.record.values[1]
        else { return nil }
        return text
    }

    @Test(arguments: ["last-write-wins", "set-union"])
    func theOrderReachesEveryDeviceAndAnEditReplacesTheWholeList(strategy: String) async throws {
        let entity = try Self.trip(strategy: strategy)
        let folder = FileManager.default.temporaryDirectory.path + "/entitysync-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let world = try World(devices: 2, entities: [entity], path: folder)
        let (phone, laptop) = (world.devices[0], world.devices[1])
        _ = try phone.put(entity: entity, json: #"{"id":"x","stops":["z","b","a"]}"#)
        #expect(try stops(phone, entity: entity) == #"["z","b","a"]"#)
        for device in [0, 1] { try await world.sync(device) }
        #expect(try stops(laptop, entity: entity) == #"["z","b","a"]"#)

        _ = try laptop.put(entity: entity, json: #"{"id":"x","stops":["b","z","y"]}"#)
        _ = try phone.put(entity: entity, json: #"{"id":"x","stops":["c","z","b","a"]}"#)
        for device in [1, 0, 1, 0] { try await world.sync(device) }
        let agreed = try stops(phone, entity: entity)
        #expect(agreed == #"["b","z","y"]"# || agreed == #"["c","z","b","a"]"#)
        #expect(try stops(laptop, entity: entity) == agreed)

        let error = #expect(throws: SyncError.self) {
            try phone.put(entity: entity, json: #"{"id":"x","stops":["z","z"]}"#)
        }
        #expect(error?.message.contains("'stops[1]' is in the list already.") == true)
        #expect(try stops(phone, entity: entity) == agreed)
    }
}
