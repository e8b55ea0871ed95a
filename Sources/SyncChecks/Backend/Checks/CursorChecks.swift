import SyncCore

/// Cursors that are too old, of another history, or broken.
let cursorChecks: [BackendCheck] = [
    BackendCheck("cursor-expiry", "a store that slept while tombstones were forgotten learns what is gone") {
        scene in
        let (writer, sleeper, awake) = (scene.client(1), scene.client(2), scene.client(3))
        let count = try await fillAndPurge(scene, writer, sleeper, awake)
        let outcome = try await sleeper.sync()
        let kinds = outcome.pages.map(\.kind)
        guard case .snapshot(_, true, _)? = kinds.first else {
            throw CheckEnd.failed("Expected a snapshot from its first page on, but changes came.")
        }
        let completed = kinds.contains { if case .snapshot(_, _, true) = $0 { true } else { false } }
        try require(completed, "a page that completes the snapshot", "none did")
        try await awake.sync()
        try scene.requireSame(
            [writer, sleeper, awake, try await scene.freshClient()],
            "deleted records are gone"
        )
        try require(
            writer.shown.count == count - 1,
            "\(count - 1) records",
            "there are \(writer.shown.count)"
        )
    },
    BackendCheck(
        "edit-of-purged",
        "an edit of a record whose tombstone is forgotten is a conflict, not a create"
    ) {
        scene in
        try scene.needs(\.comparesAndSets, "The remote does not compare an edit with its base.")
        let (writer, sleeper, awake) = (scene.client(1), scene.client(2), scene.client(3))
        _ = try await fillAndPurge(scene, writer, sleeper, awake)
        let id = try sleeper.edit(scene.main, scene.main.key(0), time: 9)
        switch try await sleeper.sync().results[id] {
        case .conflict?, .missing?: break
        default: throw CheckEnd.failed("Expected a conflict, but the edit was not answered with one.")
        }
        let fresh = try await scene.freshClient()
        try require(fresh.shown[id] == nil, "that the record stays deleted", "it is back")
    },
    BackendCheck(
        "purge-while-paging",
        "what is deleted and forgotten between two pages of a first sync is not kept"
    ) {
        scene in
        try scene.needs(\.canPurge, "Tombstones of the remote cannot be purged.")
        let (writer, reader) = (scene.client(1), scene.client(2))
        let numbers = 0..<(try scene.threePages())
        for number in numbers { try writer.edit(scene.main, scene.main.key(number)) }
        try await writer.sync()
        let session = try await reader.open()
        try await reader.pull(session, pages: 1)
        let keys = Set(reader.known.keys.map(\.key))
        guard let number = numbers.first(where: { keys.contains(scene.main.key($0).name) }) else {
            throw CheckEnd.failed("Expected records in the first page, but there were none.")
        }
        try writer.edit(scene.main, scene.main.key(number), isDeleted: true)
        try await writer.sync()
        try await scene.remote.purgeTombstones()
        do {
            try await reader.pull(session)
            try await session.close(cursor: reader.cursor)
        } catch let error as SyncError {
            try require(error.retry == .later, "an error after which a further sync helps", "it is for good")
        }
        try await reader.sync()
        try scene.requireSame([writer, reader], "the deleted record is gone")
    },
    BackendCheck("history-change", "a remote whose history began anew is refused, and taken with a rejoin") {
        scene in
        try scene.needs(\.canRestart, "The remote's history cannot begin anew.")
        let (one, two) = (scene.client(1), scene.client(2))
        for number in 0..<3 { try one.edit(scene.main, scene.main.key(number)) }
        try await one.sync()
        try await two.sync()
        let before = one.shown
        try await scene.remote.restart()
        for client in [one, two] {
            try await requireWrongRemote("the old binding is refused") { try await client.sync() }
            try require(client.shown == before, "that nothing is lost by it", "records are gone")
        }
        for client in [one, two] { try await client.sync(rejoin: true) }
        try await one.sync()
        try scene.requireSame([one, two, try await scene.freshClient()], "all stores agree again")
        try require(one.shown == before, "the records of before", "there are others")
    },
    BackendCheck("rejoin", "a rejoin to the same remote delivers everything again") { scene in
        let (one, two) = (scene.client(1), scene.client(2))
        for number in 0..<3 { try one.edit(scene.main, scene.main.key(number)) }
        try await one.sync()
        try await two.sync()
        try two.edit(scene.main, scene.main.key(3))
        try await two.sync()
        let before = two.shown
        let results = try await two.sync(rejoin: true).results
        try require(results.isEmpty, "that every record is met again", "\(results.count) were pushed anew")
        try require(two.shown == before, "the records of before", "there are others")
    },
    BackendCheck("other-remote", "a store that is bound to one remote is refused by another") { scene in
        let other = try await scene.subject.makeRemote()
        let elsewhere = Client(7, other, scene.subject.entities)
        try elsewhere.edit(scene.main, scene.main.key(8))
        try await elsewhere.sync()
        let client = try await scene.freshClient(1)
        try client.edit(scene.main, scene.main.key(1))
        try await client.sync()
        let moved = client.copy(to: other)
        try moved.edit(scene.main, scene.main.key(2))
        try await requireWrongRemote("another remote is refused") { try await moved.sync() }
        let third = Client(8, other, scene.subject.entities)
        try await third.sync()
        try await other.dispose()
        try require(third.shown == elsewhere.shown, "that nothing was written there", "something was")
    },
    BackendCheck("broken-cursor", "a cursor that cannot be read is refused, or everything is delivered again")
    {
        scene in
        let writer = scene.client(1)
        for number in 0..<3 { try writer.edit(scene.main, scene.main.key(number)) }
        try await writer.sync()
        for (number, text) in ["", "nonsense", "{\"version\":99}", "\u{1}\u{fffd}"].enumerated() {
            let reader = try await scene.freshClient(UInt64(20 + number))
            reader.lose(cursor: text)
            try await requireAll(scene, writer, reader)
        }
    },
    BackendCheck("foreign-cursor", "a cursor of another remote is refused, or everything is delivered again")
    { scene in
        let writer = scene.client(1)
        for number in 0..<3 { try writer.edit(scene.main, scene.main.key(number)) }
        try await writer.sync()
        let other = try await scene.subject.makeRemote()
        let elsewhere = Client(7, other, scene.subject.entities)
        for number in 0..<9 { try elsewhere.edit(scene.main, scene.main.key(number)) }
        try await elsewhere.sync()
        let reader = try await scene.freshClient(2)
        let twin = Client(2, other, scene.subject.entities)
        try await twin.sync()
        try await other.dispose()
        reader.lose(cursor: twin.cursor)
        reader.mayRenew = true
        try await requireAll(scene, writer, reader)
    },
    BackendCheck("entity-added-later", "an entity that a store takes up later arrives whole") { scene in
        guard scene.material.count > 1 else {
            throw CheckEnd.notApplicable("There is only one entity to draw.")
        }
        let (writer, reader) = (scene.client(1), scene.client(2))
        reader.entities = [scene.material[0].entity]
        for material in scene.material { try writer.edit(material, material.key(1)) }
        try await writer.sync()
        try await reader.sync()
        try await reader.sync()
        reader.entities = scene.subject.entities
        try await reader.sync()
        try scene.requireSame([writer, reader], "the later entity's records arrive")
    },
]

/// Several pages of records that two stores have seen; then the first record is deleted, which only one of them sees,
/// and its tombstone is forgotten. Returns how many there were.
private func fillAndPurge(
    _ scene: Scene,
    _ writer: Client,
    _ sleeper: Client,
    _ awake: Client
) async throws -> Int {
    try scene.needs(\.canPurge, "Tombstones of the remote cannot be purged.")
    let count = (try? scene.threePages()) ?? 5
    for number in 0..<count { try writer.edit(scene.main, scene.main.key(number)) }
    for client in [writer, sleeper, awake] { try await client.sync() }
    try writer.edit(scene.main, scene.main.key(0), isDeleted: true)
    try writer.edit(scene.main, scene.main.key(1))
    for client in [writer, awake] { try await client.sync() }
    try await scene.remote.purgeTombstones()
    return count
}

/// The reader gets all of what the writer wrote, or an error.
private func requireAll(_ scene: Scene, _ writer: Client, _ reader: Client) async throws {
    do {
        try await reader.sync()
    } catch is SyncError {
        return
    }
    try scene.requireSame([writer, reader], "everything is delivered again")
}

private func requireWrongRemote(_ what: String, _ body: () async throws -> Void) async throws {
    let error = try await requireError("that \(what)", body)
    let kind = (error as? SyncError)?.kind
    try require(
        kind == .wrongRemote,
        "that \(what) as 'wrongRemote'",
        "the error is '\(kind?.rawValue ?? "another")'"
    )
}
