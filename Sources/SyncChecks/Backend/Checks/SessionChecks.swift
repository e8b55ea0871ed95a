import SyncCore

/// Who takes part in a session, and what it may do.
let sessionChecks: [BackendCheck] = [
    BackendCheck("unknown-entity", "a store with an entity that the remote does not know syncs all others") {
        scene in
        let (writer, reader) = (scene.client(1), scene.client(2))
        let unknown = EntityDescriptor(
            name: "entity-that-nobody-knows",
            typeName: "EntityThatNobodyKnows",
            fields: [FieldDescriptor("id", type: .string(), isRequired: true)],
            key: ["id"],
            strategy: .lastWriteWins
        )
        for client in [writer, reader] { client.entities.insert(unknown, at: 0) }
        let id = try writer.edit(scene.main, scene.main.key(1))
        let result = try await writer.sync().results[id]
        try require(
            result?.isAccepted == true,
            "that others are stored",
            "one was \(result?.word ?? "not sent")"
        )
        try await reader.sync()
        try scene.requireSame([writer, reader], "others arrive")
    },
    BackendCheck("read-only", "a session that only reads reads all and writes nothing") { scene in
        let (writer, reader) = (scene.client(1), scene.client(2))
        try writer.edit(scene.main, scene.main.key(1))
        try await writer.sync()
        try reader.edit(scene.main, scene.main.key(2))
        let session = try await reader.open(readOnly: true)
        try await reader.pull(session)
        try require(reader.shown == writer.shown, "what the remote holds", "something is missing")
        do {
            for (_, result) in try await reader.send(reader.outgoing, session) {
                try require(!result.isAccepted, "that a push is refused", "it was accepted")
            }
        } catch is SyncError {}
        try await session.close(cursor: reader.cursor)
        try require(
            try await scene.freshClient().shown == writer.shown,
            "nothing new",
            "something was written"
        )
    },
    BackendCheck("copied-store", "a store that was copied is told apart from the one that went on") { scene in
        let original = scene.client(1)
        try original.edit(scene.main, scene.main.key(1))
        try await original.sync()
        let copy = original.copy()
        try original.edit(scene.main, scene.main.key(2))
        try await original.sync()
        let session = try await copy.open(mayBeCopy: true)
        try require(session.greeting.isCopy, "that the copy is noticed", "it was not")
        try await original.sync()
    },
    BackendCheck("copies-at-once", "of two copies of a store that push at once, one is stopped") { scene in
        let original = scene.client(1)
        try original.edit(scene.main, scene.main.key(1))
        try await original.sync()
        let copy = original.copy()
        try original.edit(scene.main, scene.main.key(2))
        try copy.edit(scene.main, scene.main.key(3))
        let (first, second) = (try await original.open(), try await copy.open())
        try await original.pull(first)
        try await copy.pull(second)
        _ = try await original.push(first)
        let error = try await requireError("that the second one is stopped") {
            _ = try await copy.push(second)
        }
        try require(
            (error as? SyncError)?.retry == .later,
            "an error after which a sync helps",
            "it is for good"
        )
        let again = try await copy.open(mayBeCopy: true)
        try require(again.greeting.isCopy, "that the copy is noticed", "it was not")
    },
]
