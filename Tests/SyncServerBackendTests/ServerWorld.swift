import Foundation
import SyncChecks
import SyncCore
import SyncWire

/// Entities of the stories.
enum Notes {
    static func entity(strategy: MergeStrategy, name: String = "note") -> EntityDescriptor {
        EntityDescriptor(
            name: name,
            typeName: "Note",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "title", type: .string(), isRequired: true),
                FieldDescriptor(name: "createdAt", type: .dateTime, isRequired: true),
                FieldDescriptor(name: "updatedAt", type: .dateTime, isRequired: true),
            ],
            key: ["id"],
            strategy: strategy,
            created: "createdAt",
            updated: "updatedAt"
        )
    }
}

/// Runs a story around a real server without a network, in a folder of its own, which is removed afterwards.
func withServer(
    count: Int,
    entities: EntityDescriptor...,
    limits: WireLimits = WireLimits(),
    _ story: (World, LoopbackServer) async throws -> Void
) async throws {
    let path = FileManager.default.temporaryDirectory.path + "/entitysync-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let world = try World(
        devices: count,
        entities: entities,
        path: path,
        place: .server,
        limits: limits
    )
    guard let server = world.server else { return }
    try await story(world, server)
}

extension World {
    /// What all devices hold, live and deleted; one list for each.
    func exports(entity: EntityDescriptor) throws -> [[String]] {
        try devices.map { try $0.export(entity: entity, includeHidden: true) }
    }
}

extension World.Device {
    func put(entity: EntityDescriptor, key: String, title: String) throws {
        try put(entity: entity, json: #"{"id":"\#(key)","title":"\#(title)"}"#)
    }

    func title(entity: EntityDescriptor, key: String) throws -> String? {
        guard case .text(let text)? = try value(entity: entity, key: key, field: "title") else { return nil }
        return text
    }

    func state(entity: EntityDescriptor, key: String) throws -> SyncState? {
        try local(entity: entity, key: key)?.state
    }

    func cursor() throws -> String? { try store.read { try $0.value(name: "cursor") } }
}
