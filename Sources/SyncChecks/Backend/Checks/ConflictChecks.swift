import SyncCore

/// Checks of concurrent edits on two devices.
let conflictChecks: [BackendCheck] = [
    BackendCheck(id: "stale-base", guarantee: "an edit of a state that is past overwrites nothing") { scene in
        let key = scene.main.key(number: 1)
        try await meet(
            scene,
            from: { try $0.edit(scene.main, key: key) },
            first: { try $0.edit(scene.main, key: key, time: 5) }
        ) {
            try $0.edit(scene.main, key: key, time: 9)
        }
    },
    BackendCheck(id: "stale-delete", guarantee: "a delete of a state that is past deletes nothing unseen") {
        scene in
        let key = scene.main.key(number: 1)
        try await meet(
            scene,
            from: { try $0.edit(scene.main, key: key) },
            first: { try $0.edit(scene.main, key: key, time: 5) }
        ) {
            try $0.edit(scene.main, key: key, time: 9, isDeleted: true)
        }
    },
    BackendCheck(
        id: "edit-of-deleted",
        guarantee: "an edit of a record that was deleted meanwhile does not bring it back unseen"
    ) {
        scene in
        let key = scene.main.key(number: 1)
        try await meet(
            scene,
            from: { try $0.edit(scene.main, key: key) },
            first: { try $0.edit(scene.main, key: key, time: 5, isDeleted: true) },
            second: { try $0.edit(scene.main, key: key, time: 9) }
        )
    },
    BackendCheck(id: "same-create", guarantee: "two devices that create one key do not overwrite each other")
    { scene in
        let key = scene.main.key(number: 1)
        try await meet(scene, from: { _ in }, first: { try $0.edit(scene.main, key: key, time: 5) }) {
            try $0.edit(scene.main, key: key, time: 9)
        }
    },
    BackendCheck(
        id: "unseen-vector",
        guarantee: "an edit that names the present state but has not seen it is not stored"
    ) {
        scene in
        try scene.needs(
            capability: .compareAndSet,
            why: "The remote keeps concurrent versions side by side."
        )
        let (first, second) = (scene.client(number: 1), scene.client(number: 2))
        try first.edit(scene.main, key: scene.main.key(number: 1))
        try await first.sync()
        try await second.sync()
        let id = try second.edit(scene.main, key: scene.main.key(number: 1))
        second.amend(id: id) { $0.metadata = VersionMetadata(first: $0.writtenMetadata.editTimestamp) }
        let result = try await second.sync().results[id]
        try require(
            result?.isAccepted == false,
            expected: "that it is not stored",
            found: "it was \(result?.word ?? "not sent")"
        )
        try scene.requireSame([first, try await scene.freshClient()], what: "the first edit stands")
    },
]

/// Two devices edit the same state concurrently; the first one syncs first. If the remote keeps one version,
/// the second edit is a conflict and is accepted after it has seen the first one. Otherwise the remote keeps
/// both.
private func meet(
    _ scene: Scene,
    from: (Client) throws -> Void,
    first editOne: (Client) throws -> RecordID,
    second editTwo: (Client) throws -> RecordID
) async throws {
    let (first, second) = (scene.client(number: 1), scene.client(number: 2))
    try from(first)
    try await first.sync()
    try await second.sync()
    let id = try editOne(first)
    _ = try editTwo(second)
    try await first.sync()

    let session = try await second.open()
    let results = try await second.push(session)
    let expected = first.editTimestamps(id: id)
    if scene.capabilities.contains(.compareAndSet) {
        guard case .conflict? = results[id] else {
            throw CheckError.failed(
                "Expected a conflict, but the edit was \(results[id]?.word ?? "not answered")."
            )
        }
        try await second.pull(session)
        try await session.close(cursor: second.cursor)
        try require(
            second.editTimestamps(id: id) == expected,
            expected: "that the next page brings what was unseen",
            found: "it did not"
        )
        let fresh = try await scene.freshClient()
        try require(
            fresh.shown == first.shown,
            expected: "that nothing was overwritten",
            found: "a new store sees another version"
        )
        _ = try editTwo(second)
        let result = try await second.sync().results[id]
        try require(
            result?.isAccepted == true,
            expected: "that an edit on top is stored",
            found: "it was \(result?.word ?? "not sent")"
        )
        try await first.sync()
        try require(
            first.editTimestamps(id: id) == second.editTimestamps(id: id),
            expected: "that the edit on top arrives",
            found: "it did not"
        )
    } else {
        try require(
            results[id]?.isAccepted == true,
            expected: "that both are stored",
            found: "the second was not"
        )
        try await second.pull(session)
        try await session.close(cursor: second.cursor)
        let fresh = try await scene.freshClient()
        try await first.sync()
        for client in [first, second, fresh] {
            let editTimestamps = client.editTimestamps(id: id)
            try require(
                editTimestamps.count == 2 && editTimestamps.isSuperset(of: expected),
                expected: "both versions side by side at each device",
                found: "one has \(editTimestamps.count)"
            )
        }
    }
}
