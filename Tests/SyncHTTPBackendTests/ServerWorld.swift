import Foundation
import SyncChecks
import SyncCore
import SyncWire

/// Entities of the stories.
enum Notes {
    static func entity(_ strategy: MergeStrategy, name: String = "note") -> EntityDescriptor {
        EntityDescriptor(
            name: name,
            typeName: "Note",
            fields: [
                FieldDescriptor("id", type: .string(), isRequired: true),
                FieldDescriptor("title", type: .string(), isRequired: true),
                FieldDescriptor("createdAt", type: .dateTime, isRequired: true),
                FieldDescriptor("updatedAt", type: .dateTime, isRequired: true),
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
    _ count: Int,
    _ entities: EntityDescriptor...,
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
    func exports(_ entity: EntityDescriptor) throws -> [[String]] {
        try devices.map { try $0.export(entity, includeHidden: true) }
    }
}

extension World.Device {
    func put(_ entity: EntityDescriptor, _ key: String, title: String) throws {
        try put(entity, #"{"id":"\#(key)","title":"\#(title)"}"#)
    }

    func title(_ entity: EntityDescriptor, _ key: String) throws -> String? {
        guard case .text(let text)? = try value(entity, key, "title") else { return nil }
        return text
    }

    func state(_ entity: EntityDescriptor, _ key: String) throws -> SyncState? {
        try local(entity, key)?.state
    }

    func cursor() throws -> String? { try store.read { try $0.value("cursor") } }
}
