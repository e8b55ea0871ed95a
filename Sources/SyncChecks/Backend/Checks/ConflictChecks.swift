import SyncCore

/// Two devices that did not see each other's edit.
let conflictChecks: [BackendCheck] = [
    BackendCheck("stale-base", "an edit of a state that is past overwrites nothing") { scene in
        let key = scene.main.key(1)
        try await meet(
            scene,
            from: { try $0.edit(scene.main, key) },
            one: { try $0.edit(scene.main, key, time: 5) }
        ) {
            try $0.edit(scene.main, key, time: 9)
        }
    },
    BackendCheck("stale-delete", "a delete of a state that is past deletes nothing unseen") { scene in
        let key = scene.main.key(1)
        try await meet(
            scene,
            from: { try $0.edit(scene.main, key) },
            one: { try $0.edit(scene.main, key, time: 5) }
        ) {
            try $0.edit(scene.main, key, time: 9, isDeleted: true)
        }
    },
    BackendCheck(
        "edit-of-deleted",
        "an edit of a record that was deleted meanwhile does not bring it back unseen"
    ) {
        scene in
        let key = scene.main.key(1)
        try await meet(
            scene,
            from: { try $0.edit(scene.main, key) },
            one: { try $0.edit(scene.main, key, time: 5, isDeleted: true) },
            two: { try $0.edit(scene.main, key, time: 9) }
        )
    },
    BackendCheck("same-create", "two devices that create one key do not overwrite each other") { scene in
        let key = scene.main.key(1)
        try await meet(scene, from: { _ in }, one: { try $0.edit(scene.main, key, time: 5) }) {
            try $0.edit(scene.main, key, time: 9)
        }
    },
    BackendCheck("unseen-vector", "an edit that names the present state but has not seen it is not stored") {
        scene in
        try scene.needs(\.comparesAndSets, "The remote keeps concurrent versions side by side.")
        let (one, two) = (scene.client(1), scene.client(2))
        try one.edit(scene.main, scene.main.key(1))
        try await one.sync()
        try await two.sync()
        let id = try two.edit(scene.main, scene.main.key(1))
        two.amend(id) { $0.stamp.vector = VersionVector($0.stamp.mark) }
        let result = try await two.sync().results[id]
        try require(
            result?.isAccepted == false,
            "that it is not stored",
            "it was \(result?.word ?? "not sent")"
        )
        try scene.requireSame([one, try await scene.freshClient()], "the first edit stands")
    },
]

/// Two devices edit from one state, unseen by each other; the first one syncs first. Where the remote keeps one version,
/// the second edit is a conflict, and accepted once it has seen the first; elsewhere both stand side by side.
private func meet(
    _ scene: Scene,
    from: (Client) throws -> Void,
    one editOne: (Client) throws -> RecordID,
    two editTwo: (Client) throws -> RecordID
) async throws {
    let (one, two) = (scene.client(1), scene.client(2))
    try from(one)
    try await one.sync()
    try await two.sync()
    let id = try editOne(one)
    _ = try editTwo(two)
    try await one.sync()

    let session = try await two.open()
    let results = try await two.push(session)
    let expected = one.marks(id)
    if scene.capabilities.comparesAndSets {
        guard case .conflict? = results[id] else {
            throw CheckEnd.failed(
                "Expected a conflict, but the edit was \(results[id]?.word ?? "not answered")."
            )
        }
        try await two.pull(session)
        try await session.close(cursor: two.cursor)
        try require(two.marks(id) == expected, "that the next page brings what was unseen", "it did not")
        let fresh = try await scene.freshClient()
        try require(
            fresh.shown == one.shown,
            "that nothing was overwritten",
            "a new store sees another version"
        )
        _ = try editTwo(two)
        let result = try await two.sync().results[id]
        try require(
            result?.isAccepted == true,
            "that an edit on top is stored",
            "it was \(result?.word ?? "not sent")"
        )
        try await one.sync()
        try require(one.marks(id) == two.marks(id), "that the edit on top arrives", "it did not")
    } else {
        try require(results[id]?.isAccepted == true, "that both are stored", "the second was not")
        try await two.pull(session)
        try await session.close(cursor: two.cursor)
        let fresh = try await scene.freshClient()
        try await one.sync()
        for client in [one, two, fresh] {
            let marks = client.marks(id)
            try require(
                marks.count == 2 && marks.isSuperset(of: expected),
                "both versions side by side at each device",
                "one has \(marks.count)"
            )
        }
    }
}
