import SyncCore

/// Checks of expired, foreign and invalid cursors.
let cursorChecks: [BackendCheck] = [
    BackendCheck(
        id: "cursor-expiry",
        guarantee: "a store that slept while tombstones were forgotten learns what is gone"
    ) {
        scene in
        let (writer, sleeper, awake) = (
            scene.client(number: 1), scene.client(number: 2), scene.client(number: 3)
        )
        let count = try await fillAndPurge(scene, writer: writer, sleeper: sleeper, awake: awake)
        let outcome = try await sleeper.sync()
        let kinds = outcome.pages.map(\.kind)
        guard case .snapshot(_, true, _)? = kinds.first else {
            throw CheckError.failed("Expected a snapshot from its first page on, but changes came.")
        }
        let completed = kinds.contains { if case .snapshot(_, _, true) = $0 { true } else { false } }
        try require(completed, expected: "a page that completes the snapshot", found: "none did")
        try await awake.sync()
        try scene.requireSame(
            [writer, sleeper, awake, try await scene.freshClient()],
            what: "deleted records are gone"
        )
        try require(
            writer.shown.count == count - 1,
            expected: "\(count - 1) records",
            found: "there are \(writer.shown.count)"
        )
    },
    BackendCheck(
        id: "edit-of-purged",
        guarantee: "an edit of a record whose tombstone is forgotten is a conflict, not a create"
    ) {
        scene in
        try scene.needs(
            capability: .compareAndSet,
            why: "The remote does not compare an edit with its base."
        )
        let (writer, sleeper, awake) = (
            scene.client(number: 1), scene.client(number: 2), scene.client(number: 3)
        )
        _ = try await fillAndPurge(scene, writer: writer, sleeper: sleeper, awake: awake)
        let id = try sleeper.edit(scene.main, key: scene.main.key(number: 0), time: 9)
        switch try await sleeper.sync().results[id] {
        case .conflict?, .missing?: break
        default: throw CheckError.failed("Expected a conflict, but the edit was not answered with one.")
        }
        let fresh = try await scene.freshClient()
        try require(fresh.shown[id] == nil, expected: "that the record stays deleted", found: "it is back")
    },
    BackendCheck(
        id: "purge-while-paging",
        guarantee: "what is deleted and forgotten between two pages of a first sync is not kept"
    ) {
        scene in
        try scene.needs(\.canPurge, why: "Tombstones of the remote cannot be purged.")
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        let numbers = 0..<(try scene.threePages())
        for number in numbers { try writer.edit(scene.main, key: scene.main.key(number: number)) }
        try await writer.sync()
        let session = try await reader.open()
        try await reader.pull(session, pages: 1)
        let keys = Set(reader.known.keys.map(\.key))
        guard let number = numbers.first(where: { keys.contains(scene.main.key(number: $0).name) }) else {
            throw CheckError.failed("Expected records in the first page, but there were none.")
        }
        try writer.edit(scene.main, key: scene.main.key(number: number), isDeleted: true)
        try await writer.sync()
        try await scene.remote.purgeTombstones()
        do {
            try await reader.pull(session)
            try await session.close(cursor: reader.cursor)
        } catch let error as SyncError {
            try require(
                error.retry == .later,
                expected: "an error after which a further sync helps",
                found: "it is for good"
            )
        }
        try await reader.sync()
        try scene.requireSame([writer, reader], what: "the deleted record is gone")
    },
    BackendCheck(
        id: "history-change",
        guarantee: "a remote whose history began anew is refused, and taken with a rejoin"
    ) {
        scene in
        try scene.needs(\.canRestart, why: "The remote's history cannot begin anew.")
        let (first, second) = (scene.client(number: 1), scene.client(number: 2))
        for number in 0..<3 { try first.edit(scene.main, key: scene.main.key(number: number)) }
        try await first.sync()
        try await second.sync()
        let before = first.shown
        try await scene.remote.restart()
        for client in [first, second] {
            try await requireWrongRemote("the old binding is refused") { try await client.sync() }
            try require(
                client.shown == before,
                expected: "that nothing is lost by it",
                found: "records are gone"
            )
        }
        for client in [first, second] { try await client.sync(rejoin: true) }
        try await first.sync()
        try scene.requireSame([first, second, try await scene.freshClient()], what: "all stores agree again")
        try require(first.shown == before, expected: "the records of before", found: "there are others")
    },
    BackendCheck(id: "rejoin", guarantee: "a rejoin to the same remote delivers everything again") { scene in
        let (first, second) = (scene.client(number: 1), scene.client(number: 2))
        for number in 0..<3 { try first.edit(scene.main, key: scene.main.key(number: number)) }
        try await first.sync()
        try await second.sync()
        try second.edit(scene.main, key: scene.main.key(number: 3))
        try await second.sync()
        let before = second.shown
        let results = try await second.sync(rejoin: true).results
        try require(
            results.isEmpty,
            expected: "that every record is met again",
            found: "\(results.count) were pushed anew"
        )
        try require(second.shown == before, expected: "the records of before", found: "there are others")
    },
    BackendCheck(id: "other-remote", guarantee: "a store that is bound to one remote is refused by another") {
        scene in
        let other = try await scene.subject.makeRemote()
        let elsewhere = Client(number: 7, remote: other, entities: scene.subject.entities)
        try elsewhere.edit(scene.main, key: scene.main.key(number: 8))
        try await elsewhere.sync()
        let client = try await scene.freshClient(number: 1)
        try client.edit(scene.main, key: scene.main.key(number: 1))
        try await client.sync()
        let moved = client.copy(to: other)
        try moved.edit(scene.main, key: scene.main.key(number: 2))
        try await requireWrongRemote("another remote is refused") { try await moved.sync() }
        let third = Client(number: 8, remote: other, entities: scene.subject.entities)
        try await third.sync()
        try await other.dispose()
        try require(
            third.shown == elsewhere.shown,
            expected: "that nothing was written there",
            found: "something was"
        )
    },
    BackendCheck(
        id: "broken-cursor",
        guarantee: "a cursor that cannot be read is refused, or everything is delivered again"
    ) {
        scene in
        let writer = scene.client(number: 1)
        for number in 0..<3 { try writer.edit(scene.main, key: scene.main.key(number: number)) }
        try await writer.sync()
        for (number, text) in ["", "nonsense", "{\"version\":99}", "\u{1}\u{fffd}"].enumerated() {
            let reader = try await scene.freshClient(number: UInt64(20 + number))
            reader.lose(cursor: text)
            try await requireAll(scene, writer: writer, reader: reader)
        }
    },
    BackendCheck(
        id: "foreign-cursor",
        guarantee: "a cursor of another remote is refused, or everything is delivered again"
    ) { scene in
        let writer = scene.client(number: 1)
        for number in 0..<3 { try writer.edit(scene.main, key: scene.main.key(number: number)) }
        try await writer.sync()
        let other = try await scene.subject.makeRemote()
        let elsewhere = Client(number: 7, remote: other, entities: scene.subject.entities)
        for number in 0..<9 { try elsewhere.edit(scene.main, key: scene.main.key(number: number)) }
        try await elsewhere.sync()
        let reader = try await scene.freshClient(number: 2)
        let twin = Client(number: 2, remote: other, entities: scene.subject.entities)
        try await twin.sync()
        try await other.dispose()
        reader.lose(cursor: twin.cursor)
        reader.mayRenew = true
        try await requireAll(scene, writer: writer, reader: reader)
    },
    BackendCheck(id: "entity-added-later", guarantee: "an entity that a store takes up later arrives whole") {
        scene in
        guard scene.material.count > 1 else {
            throw CheckError.notApplicable("There is only one entity to draw.")
        }
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        reader.entities = [scene.material[0].entity]
        for material in scene.material { try writer.edit(material, key: material.key(number: 1)) }
        try await writer.sync()
        try await reader.sync()
        try await reader.sync()
        reader.entities = scene.subject.entities
        try await reader.sync()
        try scene.requireSame([writer, reader], what: "the later entity's records arrive")
    },
]

/// Writes several pages of records that two stores read. Then deletes the first record, which only one of
/// them sees, and purges its tombstone. Returns the number of records.
private func fillAndPurge(
    _ scene: Scene,
    writer: Client,
    sleeper: Client,
    awake: Client
) async throws -> Int {
    try scene.needs(\.canPurge, why: "Tombstones of the remote cannot be purged.")
    let count = (try? scene.threePages()) ?? 5
    for number in 0..<count { try writer.edit(scene.main, key: scene.main.key(number: number)) }
    for client in [writer, sleeper, awake] { try await client.sync() }
    try writer.edit(scene.main, key: scene.main.key(number: 0), isDeleted: true)
    try writer.edit(scene.main, key: scene.main.key(number: 1))
    for client in [writer, awake] { try await client.sync() }
    try await scene.remote.purgeTombstones()
    return count
}

/// Checks that the reader gets everything that the writer wrote, or an error.
private func requireAll(_ scene: Scene, writer: Client, reader: Client) async throws {
    do {
        try await reader.sync()
    } catch is SyncError {
        return
    }
    try scene.requireSame([writer, reader], what: "everything is delivered again")
}

private func requireWrongRemote(_ what: String, body: () async throws -> Void) async throws {
    let error = try await requireError("that \(what)", body: body)
    let kind = (error as? SyncError)?.kind
    try require(
        kind == .wrongRemote,
        expected: "that \(what) as 'wrongRemote'",
        found: "the error is '\(kind?.rawValue ?? "another")'"
    )
}
