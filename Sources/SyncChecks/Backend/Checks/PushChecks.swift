import SyncCore

/// Checks of repeated pushes after a lost or late answer.
let pushChecks: [BackendCheck] = [
    BackendCheck(id: "repeated-push", guarantee: "a push sent twice changes nothing") { scene in
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        let session = try await writer.open()
        try await writer.pull(session)
        for number in 0..<min(3, await session.pushLimit().changes) {
            try writer.edit(scene.main, key: scene.main.key(number: number))
        }
        let prepared = try await writer.prepare(writer.outgoing, session: session)
        let first = try await session.push(prepared)
        try await reader.sync()
        let second = try await session.push(prepared)
        for result in first.results + second.results {
            try require(
                result.isAccepted,
                expected: "that both are accepted",
                found: "one change was \(result.word)"
            )
        }
        try writer.record(prepared: prepared, receipt: second)
        try await writer.pull(session)
        try await session.close(cursor: writer.cursor)
        let items = try await reader.sync().items
        try require(items == 0, expected: "nothing new for others", found: "\(items) records came again")
        let fresh = try await scene.freshClient()
        try scene.requireSame([writer, reader, fresh], what: "all see one version")
        try require(
            fresh.known.values.allSatisfy { $0.count == 1 },
            expected: "one version each",
            found: "there are more"
        )
    },
    BackendCheck(
        id: "lost-answer",
        guarantee: "an edit whose acknowledgement was lost is stored once, and its writer is no copy"
    ) {
        scene in
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        try writer.edit(scene.main, key: scene.main.key(number: 1))
        try await writer.sync()
        for number in 1...2 {
            let id = try writer.edit(scene.main, key: scene.main.key(number: number))
            let session = try await writer.open()
            try await writer.pull(session)
            // Only the intent was saved.
            _ = try await session.push(try await writer.prepare(writer.outgoing, session: session))
            try await reader.sync()
            let before = reader.deliveries
            if let result = try await writer.sync().results[id] {
                try require(
                    result.isAccepted,
                    expected: "that the edit is accepted",
                    found: "it was \(result.word)"
                )
            }
            try require(
                writer.shown[id] != nil,
                expected: "that the writer meets its edit",
                found: "it does not"
            )
            try await reader.sync()
            try require(
                reader.deliveries == before,
                expected: "nothing new for others",
                found: "records came again"
            )
        }
        try scene.requireSame([writer, reader, try await scene.freshClient()], what: "all see one version")
    },
    BackendCheck(id: "push-first", guarantee: "the cursor of a push passes over nothing that was not fetched")
    { scene in
        let (first, second) = (scene.client(number: 1), scene.client(number: 2))
        try await first.sync()
        let session = try await first.open()
        for number in 1...2 {
            try second.edit(scene.main, key: scene.main.key(number: number))
            try await second.sync()
            try first.edit(scene.main, key: scene.main.key(number: 10 + number))
            _ = try await first.push(session)
        }
        try await session.close(cursor: first.cursor)
        try await first.sync()
        try await second.sync()
        try scene.requireSame([second, first], what: "nothing is skipped")
        try require(first.shown.count == 4, expected: "4 records", found: "there are \(first.shown.count)")
    },
    BackendCheck(
        id: "late-push",
        guarantee: "a push repeated after another device has edited on top is no new version"
    ) {
        scene in
        let reader = try await repeatLate(scene) { other, key in try other.edit(scene.main, key: key, time: 9)
        }
        try require(
            reader.shown.count == 1,
            expected: "the later edit",
            found: "\(reader.shown.count) records are shown"
        )
    },
    BackendCheck(
        id: "late-push-of-deleted",
        guarantee: "a push repeated after another device has deleted brings nothing back"
    ) {
        scene in
        let reader = try await repeatLate(scene) { other, key in
            try other.edit(scene.main, key: key, time: 9, isDeleted: true)
        }
        try require(reader.shown.isEmpty, expected: "no record", found: "the deleted one is back")
    },
]

/// Pushes without an answer, lets another device edit the same records, and pushes again. Returns a store
/// that starts after that.
private func repeatLate(
    _ scene: Scene,
    edit: (Client, Material.Key) throws -> RecordID
) async throws -> Client {
    let (writer, other, third) = (scene.client(number: 1), scene.client(number: 2), scene.client(number: 3))
    let key = scene.main.key(number: 1)
    try writer.edit(scene.main, key: key)
    let session = try await writer.open()
    try await writer.pull(session)
    let prepared = try await writer.prepare(writer.outgoing, session: session)
    _ = try await session.push(prepared)
    for client in [other, third] { try await client.sync() }
    let id = try edit(other, key)
    for client in [other, third] { try await client.sync() }

    let again = try await writer.open()
    do {
        try writer.record(prepared: prepared, receipt: try await again.push(prepared))
    } catch let error as SyncError {
        // A refusal of the whole push is fine, too: the next sync reports what happened.
        try require(
            error.retry != .never,
            expected: "a push that can be repeated",
            found: "it was refused for good"
        )
    }
    writer.drop(id)
    try await writer.pull(again)
    try await again.close(cursor: writer.cursor)

    let fresh = try await scene.freshClient()
    for client in [writer, other, third, fresh] {
        try await client.sync()
        let editTimestamps = client.editTimestamps(id: id)
        let isGone = client === fresh && editTimestamps.isEmpty
        try require(
            editTimestamps == other.editTimestamps(id: id) && editTimestamps.count == 1 || isGone,
            expected: "one version, the later edit",
            found: "a device has \(editTimestamps.count) versions or another one"
        )
    }
    return fresh
}
