import SyncCore

/// Pushes that are sent again, because an answer was lost or came late.
let pushChecks: [BackendCheck] = [
    BackendCheck("repeated-push", "a push sent twice changes nothing") { scene in
        let (writer, reader) = (scene.client(1), scene.client(2))
        let session = try await writer.open()
        try await writer.pull(session)
        for number in 0..<min(3, await session.pushLimit().changes) {
            try writer.edit(scene.main, scene.main.key(number))
        }
        let prepared = try await writer.prepare(writer.outgoing, session)
        let first = try await session.push(prepared)
        try await reader.sync()
        let second = try await session.push(prepared)
        for result in first.results + second.results {
            try require(result.isAccepted, "that both are accepted", "one change was \(result.word)")
        }
        try writer.record(prepared, second)
        try await writer.pull(session)
        try await session.close(cursor: writer.cursor)
        let items = try await reader.sync().items
        try require(items == 0, "nothing new for others", "\(items) records came again")
        let fresh = try await scene.freshClient()
        try scene.requireSame([writer, reader, fresh], "all see one version")
        try require(fresh.known.values.allSatisfy { $0.count == 1 }, "one version each", "there are more")
    },
    BackendCheck(
        "lost-answer",
        "an edit whose acknowledgement was lost is stored once, and its writer is no copy"
    ) {
        scene in
        let (writer, reader) = (scene.client(1), scene.client(2))
        try writer.edit(scene.main, scene.main.key(1))
        try await writer.sync()
        for number in 1...2 {
            let id = try writer.edit(scene.main, scene.main.key(number))
            let session = try await writer.open()
            try await writer.pull(session)
            // Only the intent was saved.
            _ = try await session.push(try await writer.prepare(writer.outgoing, session))
            try await reader.sync()
            let before = reader.deliveries
            if let result = try await writer.sync().results[id] {
                try require(result.isAccepted, "that the edit is accepted", "it was \(result.word)")
            }
            try require(writer.shown[id] != nil, "that the writer meets its edit", "it does not")
            try await reader.sync()
            try require(reader.deliveries == before, "nothing new for others", "records came again")
        }
        try scene.requireSame([writer, reader, try await scene.freshClient()], "all see one version")
    },
    BackendCheck("push-first", "the cursor of a push passes over nothing that was not fetched") { scene in
        let (one, two) = (scene.client(1), scene.client(2))
        try await one.sync()
        let session = try await one.open()
        for number in 1...2 {
            try two.edit(scene.main, scene.main.key(number))
            try await two.sync()
            try one.edit(scene.main, scene.main.key(10 + number))
            _ = try await one.push(session)
        }
        try await session.close(cursor: one.cursor)
        try await one.sync()
        try await two.sync()
        try scene.requireSame([two, one], "nothing is skipped")
        try require(one.shown.count == 4, "4 records", "there are \(one.shown.count)")
    },
    BackendCheck("late-push", "a push repeated after another device has edited on top is no new version") {
        scene in
        let reader = try await repeatLate(scene) { other, key in try other.edit(scene.main, key, time: 9) }
        try require(reader.shown.count == 1, "the later edit", "\(reader.shown.count) records are shown")
    },
    BackendCheck(
        "late-push-of-deleted",
        "a push repeated after another device has deleted brings nothing back"
    ) {
        scene in
        let reader = try await repeatLate(scene) { other, key in
            try other.edit(scene.main, key, time: 9, isDeleted: true)
        }
        try require(reader.shown.isEmpty, "no record", "the deleted one is back")
    },
]

/// A push without an answer, another device's edit on top, and the push again. Returns a store that starts then.
private func repeatLate(
    _ scene: Scene,
    _ edit: (Client, Material.Key) throws -> RecordID
) async throws -> Client {
    let (writer, other, third) = (scene.client(1), scene.client(2), scene.client(3))
    let key = scene.main.key(1)
    try writer.edit(scene.main, key)
    let session = try await writer.open()
    try await writer.pull(session)
    let prepared = try await writer.prepare(writer.outgoing, session)
    _ = try await session.push(prepared)
    for client in [other, third] { try await client.sync() }
    let id = try edit(other, key)
    for client in [other, third] { try await client.sync() }

    let again = try await writer.open()
    do {
        try writer.record(prepared, try await again.push(prepared))
    } catch let error as SyncError {
        // Refused as a whole is as good: the next sync brings what happened.
        try require(error.retry != .never, "a push that can be repeated", "it was refused for good")
    }
    writer.drop(id)
    try await writer.pull(again)
    try await again.close(cursor: writer.cursor)

    let fresh = try await scene.freshClient()
    for client in [writer, other, third, fresh] {
        try await client.sync()
        let marks = client.marks(id)
        let isGone = client === fresh && marks.isEmpty
        try require(
            marks == other.marks(id) && marks.count == 1 || isGone,
            "one version, the later edit",
            "a device has \(marks.count) versions or another one"
        )
    }
    return fresh
}
