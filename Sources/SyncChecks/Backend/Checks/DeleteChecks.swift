import SyncCore

/// Checks of tombstones.
let deleteChecks: [BackendCheck] = [
    BackendCheck(
        id: "tombstone",
        guarantee: "a delete reaches a store that had the record, and is never live for a new one"
    ) { scene in
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        let id = try writer.edit(scene.main, key: scene.main.key(number: 1))
        try writer.edit(scene.main, key: scene.main.key(number: 2))
        try await writer.sync()
        try await reader.sync()
        try writer.edit(scene.main, key: scene.main.key(number: 1), isDeleted: true)
        try await writer.sync()
        try await reader.sync()
        let fresh = try await scene.freshClient()
        try require(reader.known[id]?.map(\.isDeleted) == [true], expected: "a tombstone", found: "none came")
        try scene.requireSame([writer, reader, fresh], what: "the record is gone and the other is not")
    },
    BackendCheck(
        id: "tombstone-stays",
        guarantee: "a delete still reaches a store that comes back after many other edits"
    ) {
        scene in
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        for number in 0..<4 { try writer.edit(scene.main, key: scene.main.key(number: number)) }
        try await writer.sync()
        try await reader.sync()
        try writer.edit(scene.main, key: scene.main.key(number: 1), isDeleted: true)
        for round in 0..<12 {
            try writer.edit(scene.main, key: scene.main.key(number: 2), time: Int64(round))
            try await writer.sync()
        }
        try await reader.sync()
        try scene.requireSame([writer, reader], what: "the delete arrived")
    },
    BackendCheck(id: "revival", guarantee: "an edit on top of a delete brings the record back everywhere") {
        scene in
        let (first, second) = (scene.client(number: 1), scene.client(number: 2))
        let id = try first.edit(scene.main, key: scene.main.key(number: 1))
        for client in [first, second] { try await client.sync() }
        try first.edit(scene.main, key: scene.main.key(number: 1), isDeleted: true)
        for client in [first, second] { try await client.sync() }
        try second.edit(scene.main, key: scene.main.key(number: 1))
        let result = try await second.sync().results[id]
        try require(
            result?.isAccepted == true,
            expected: "that the edit is stored",
            found: "it was \(result?.word ?? "not sent")"
        )
        try await first.sync()
        try scene.requireSame([second, first, try await scene.freshClient()], what: "the record is back")
        try require(first.shown.count == 1, expected: "one record", found: "there are \(first.shown.count)")
    },
    BackendCheck(
        id: "create-after-delete",
        guarantee: "a new store can create what was deleted before it came"
    ) { scene in
        let (first, second) = (scene.client(number: 1), scene.client(number: 2))
        try first.edit(scene.main, key: scene.main.key(number: 1))
        try await first.sync()
        try first.edit(scene.main, key: scene.main.key(number: 1), isDeleted: true)
        try await first.sync()
        try await second.sync()
        let id = try second.edit(scene.main, key: scene.main.key(number: 1), time: 9)
        var result = try await second.sync().results[id]
        if case .conflict? = result {
            // The conflict returns the tombstone, and the next edit is based on it.
            try second.edit(scene.main, key: scene.main.key(number: 1), time: 9)
            result = try await second.sync().results[id]
        }
        try require(
            result?.isAccepted == true,
            expected: "that it is stored",
            found: "it was \(result?.word ?? "not sent")"
        )
    },
    BackendCheck(
        id: "merged-into",
        guarantee: "a tombstone that names a survivor still names it when it arrives"
    ) { scene in
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        let (survivor, other) = (scene.main.key(number: 1), scene.main.key(number: 2))
        try writer.edit(scene.main, key: survivor)
        let id = try writer.edit(scene.main, key: other)
        try await writer.sync()
        try await reader.sync()
        try writer.edit(scene.main, key: other, isDeleted: true, mergedInto: survivor.name)
        try await writer.sync()
        try await reader.sync()
        try require(
            reader.known[id]?.map(\.mergedInto) == [survivor.name],
            expected: "the survivor's key",
            found: "it was \(reader.known[id]?.first?.mergedInto == nil ? "left out" : "another")"
        )
    },
]
