import SyncCore

/// Checks of sessions, devices and access.
let sessionChecks: [BackendCheck] = [
    BackendCheck(
        id: "unknown-entity",
        guarantee: "a store with an entity that the remote does not know syncs all others"
    ) {
        scene in
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        let unknown = EntityDescriptor(
            name: "entity-that-nobody-knows",
            typeName: "EntityThatNobodyKnows",
            fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)],
            key: ["id"],
            strategy: .lastWriteWins
        )
        for client in [writer, reader] { client.entities.insert(unknown, at: 0) }
        let id = try writer.edit(scene.main, key: scene.main.key(number: 1))
        let result = try await writer.sync().results[id]
        try require(
            result?.isAccepted == true,
            expected: "that others are stored",
            found: "one was \(result?.word ?? "not sent")"
        )
        try await reader.sync()
        try scene.requireSame([writer, reader], what: "others arrive")
    },
    BackendCheck(id: "read-only", guarantee: "a session that only reads reads all and writes nothing") {
        scene in
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        try writer.edit(scene.main, key: scene.main.key(number: 1))
        try await writer.sync()
        try reader.edit(scene.main, key: scene.main.key(number: 2))
        let session = try await reader.open(readOnly: true)
        try await reader.pull(session)
        try require(
            reader.shown == writer.shown,
            expected: "what the remote holds",
            found: "something is missing"
        )
        do {
            for (_, result) in try await reader.send(reader.outgoing, session: session) {
                try require(!result.isAccepted, expected: "that a push is refused", found: "it was accepted")
            }
        } catch is SyncError {}
        try await session.close(cursor: reader.cursor)
        try require(
            try await scene.freshClient().shown == writer.shown,
            expected: "nothing new",
            found: "something was written"
        )
    },
    BackendCheck(
        id: "copied-store",
        guarantee: "a copied store is detected and does not continue as the original"
    ) { scene in
        let original = scene.client(number: 1)
        try original.edit(scene.main, key: scene.main.key(number: 1))
        try await original.sync()
        let copy = original.copy()
        try original.edit(scene.main, key: scene.main.key(number: 2))
        try await original.sync()
        let session = try await copy.open(mayBeCopy: true)
        try require(session.greeting.isCopy, expected: "that the copy is noticed", found: "it was not")
        try await original.sync()
    },
    BackendCheck(
        id: "copies-at-once",
        guarantee: "of two copies of a store that push at once, one is stopped"
    ) { scene in
        let original = scene.client(number: 1)
        try original.edit(scene.main, key: scene.main.key(number: 1))
        try await original.sync()
        let copy = original.copy()
        try original.edit(scene.main, key: scene.main.key(number: 2))
        try copy.edit(scene.main, key: scene.main.key(number: 3))
        let (first, second) = (try await original.open(), try await copy.open())
        try await original.pull(first)
        try await copy.pull(second)
        _ = try await original.push(first)
        let error = try await requireError("that the second one is stopped") {
            _ = try await copy.push(second)
        }
        try require(
            (error as? SyncError)?.retry == .later,
            expected: "an error after which a sync helps",
            found: "it is for good"
        )
        let again = try await copy.open(mayBeCopy: true)
        try require(again.greeting.isCopy, expected: "that the copy is noticed", found: "it was not")
    },
]
