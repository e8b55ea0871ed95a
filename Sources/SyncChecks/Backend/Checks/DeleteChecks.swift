import SyncCore

/// Tombstones.
let deleteChecks: [BackendCheck] = [
    BackendCheck("tombstone", "a delete reaches a store that had the record, and is never live for a new one")
    { scene in
        let (writer, reader) = (scene.client(1), scene.client(2))
        let id = try writer.edit(scene.main, scene.main.key(1))
        try writer.edit(scene.main, scene.main.key(2))
        try await writer.sync()
        try await reader.sync()
        try writer.edit(scene.main, scene.main.key(1), isDeleted: true)
        try await writer.sync()
        try await reader.sync()
        let fresh = try await scene.freshClient()
        try require(reader.known[id]?.map(\.isDeleted) == [true], "a tombstone", "none came")
        try scene.requireSame([writer, reader, fresh], "the record is gone and the other is not")
    },
    BackendCheck("tombstone-stays", "a delete still reaches a store that comes back after many other edits") {
        scene in
        let (writer, reader) = (scene.client(1), scene.client(2))
        for number in 0..<4 { try writer.edit(scene.main, scene.main.key(number)) }
        try await writer.sync()
        try await reader.sync()
        try writer.edit(scene.main, scene.main.key(1), isDeleted: true)
        for round in 0..<12 {
            try writer.edit(scene.main, scene.main.key(2), time: Int64(round))
            try await writer.sync()
        }
        try await reader.sync()
        try scene.requireSame([writer, reader], "the delete arrived")
    },
    BackendCheck("revival", "an edit on top of a delete brings the record back everywhere") { scene in
        let (one, two) = (scene.client(1), scene.client(2))
        let id = try one.edit(scene.main, scene.main.key(1))
        for client in [one, two] { try await client.sync() }
        try one.edit(scene.main, scene.main.key(1), isDeleted: true)
        for client in [one, two] { try await client.sync() }
        try two.edit(scene.main, scene.main.key(1))
        let result = try await two.sync().results[id]
        try require(
            result?.isAccepted == true,
            "that the edit is stored",
            "it was \(result?.word ?? "not sent")"
        )
        try await one.sync()
        try scene.requireSame([two, one, try await scene.freshClient()], "the record is back")
        try require(one.shown.count == 1, "one record", "there are \(one.shown.count)")
    },
    BackendCheck("create-after-delete", "a new store can create what was deleted before it came") { scene in
        let (one, two) = (scene.client(1), scene.client(2))
        try one.edit(scene.main, scene.main.key(1))
        try await one.sync()
        try one.edit(scene.main, scene.main.key(1), isDeleted: true)
        try await one.sync()
        try await two.sync()
        let id = try two.edit(scene.main, scene.main.key(1), time: 9)
        var result = try await two.sync().results[id]
        if case .conflict? = result {
            // The conflict brings the tombstone, and the next edit stands on it.
            try two.edit(scene.main, scene.main.key(1), time: 9)
            result = try await two.sync().results[id]
        }
        try require(result?.isAccepted == true, "that it is stored", "it was \(result?.word ?? "not sent")")
    },
    BackendCheck("merged-into", "a tombstone that names a survivor still names it when it arrives") { scene in
        let (writer, reader) = (scene.client(1), scene.client(2))
        let (survivor, other) = (scene.main.key(1), scene.main.key(2))
        try writer.edit(scene.main, survivor)
        let id = try writer.edit(scene.main, other)
        try await writer.sync()
        try await reader.sync()
        try writer.edit(scene.main, other, isDeleted: true, mergedInto: survivor.name)
        try await writer.sync()
        try await reader.sync()
        try require(
            reader.known[id]?.map(\.mergedInto) == [survivor.name],
            "the survivor's key",
            "it was \(reader.known[id]?.first?.mergedInto == nil ? "left out" : "another")"
        )
    },
]
