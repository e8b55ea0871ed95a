import Foundation
import SyncChecks
import SyncCore

/// Runs a story in a world with a folder of its own, which is removed afterwards.
func withWorld(
    count: Int,
    entities: EntityDescriptor...,
    served: [EntityDescriptor]? = nil,
    place: World.Place = .folder,
    _ story: (World) async throws -> Void
) async throws {
    try await withFolder { path in
        try await story(
            try World(devices: count, entities: entities, served: served, path: path, place: place)
        )
    }
}

/// Runs a story with a folder of its own, which is removed afterwards.
func withFolder(_ story: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.path + "/entitysync-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await story(path)
}

/// All orders of some values.
func permutations<Value>(values: [Value]) -> [[Value]] {
    if values.count < 2 { return [values] }
    return values.indices.flatMap { index -> [[Value]] in
        var rest = values
        let first = rest.remove(at: index)
        return permutations(values: rest).map { [first] + $0 }
    }
}

extension FieldValue {
    /// The text of a text value, or the JSON of a structured one.
    var string: String? {
        switch self {
        case .text(let value), .json(let value): value
        default: nil
        }
    }
}
