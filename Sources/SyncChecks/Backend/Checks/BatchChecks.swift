import SyncCore

/// Pushes of many changes.
let batchChecks: [BackendCheck] = [
    BackendCheck(
        "partial-batch",
        "one change that breaks its schema is refused, and those beside it are stored"
    ) {
        scene in
        try scene.needs(\.validates, "The remote does not look into records.")
        let (writer, reader) = (scene.client(1), scene.client(2))
        let secret = "value-that-no-message-shows"
        let bad = scene.main.key(2)
        for number in 1...3 { try writer.edit(scene.main, scene.main.key(number)) }
        let id = try writer.edit(scene.main, bad, body: scene.main.brokenBody(bad, value: secret))
        let results = try await writer.sync().results
        guard case .refused(let reason)? = results[id] else {
            let word = results[id]?.word ?? "not answered"
            throw CheckEnd.failed("Expected that the broken change is refused, but it was \(word).")
        }
        try require(!reason.isEmpty && !reason.contains(secret), "a reason without values", "it is not one")
        for (other, result) in results where other != id {
            try require(result.isAccepted, "that the good changes are stored", "one was \(result.word)")
        }
        try await reader.sync()
        try require(reader.shown.count == 2, "2 records", "\(reader.shown.count) arrived")
        let items = try await writer.sync().items
        try require(items == 0, "a remote at rest", "\(items) records came again")
    },
    BackendCheck("key-in-body", "a change whose body has another key is refused") { scene in
        try scene.needs(\.validates, "The remote does not look into records.")
        let writer = scene.client(1)
        let id = try writer.edit(
            scene.main,
            scene.main.key(1),
            body: scene.main.body(scene.main.key(2), time: 0)
        )
        let result = try await writer.sync().results[id]
        guard case .refused? = result else {
            throw CheckEnd.failed(
                "Expected that it is refused, but it was \(result?.word ?? "not answered")."
            )
        }
        let fresh = try await scene.freshClient()
        try require(fresh.known.isEmpty, "no record", "\(fresh.known.count) arrived")
    },
    BackendCheck(
        "limits",
        "a push just below, at and above the limit stores each change once or says that it did not"
    ) {
        scene in
        let (writer, reader) = (scene.client(1), scene.client(2))
        let probe = try await writer.open()
        try await writer.pull(probe)
        let limit = await probe.pushLimit().changes
        try await probe.close(cursor: writer.cursor)
        try require(limit > 0, "a limit of at least one change", "it is \(limit)")
        let size = min(limit, 1_000)
        var next = 0
        for count in [max(size - 1, 1), size, size + 1] {
            for number in next..<(next + count) { try writer.edit(scene.main, scene.main.key(number)) }
            next += count
            let session = try await writer.open()
            try await writer.pull(session)
            do {
                for (_, result) in try await writer.send(writer.outgoing, session) {
                    var isStored = result.isAccepted
                    if case .notSent = result { isStored = count > limit }
                    try require(isStored, "that \(count) changes are stored", "one was \(result.word)")
                }
            } catch let error as SyncError {
                try require(
                    count > limit,
                    "no error for \(count) of \(limit) changes",
                    "there was: \(error.message)"
                )
            }
            try await session.close(cursor: writer.cursor)
            // What was too much goes in smaller parts.
            try await writer.sync()
        }
        try await reader.sync()
        try require(reader.shown.count == next, "\(next) records", "\(reader.shown.count) arrived")
        try scene.requireSame([writer, reader], "each is stored once")
    },
    BackendCheck("two-entities", "records of several entities travel in one push and arrive in one sync") {
        scene in
        guard scene.material.count > 1 else {
            throw CheckEnd.notApplicable("There is only one entity to draw.")
        }
        let (writer, reader) = (scene.client(1), scene.client(2))
        for material in scene.material {
            for number in 1...2 { try writer.edit(material, material.key(number)) }
        }
        let session = try await writer.open()
        try await writer.pull(session)
        guard await session.pushLimit().changes >= writer.outgoing.count else {
            throw CheckEnd.notApplicable("A push holds fewer changes than that.")
        }
        for (_, result) in try await writer.send(writer.outgoing, session) {
            try require(result.isAccepted, "that all are stored", "one was \(result.word)")
        }
        try await session.close(cursor: writer.cursor)
        try await reader.sync()
        let count = 2 * scene.material.count
        try require(reader.shown.count == count, "\(count) records", "\(reader.shown.count) arrived")
        try scene.requireSame([writer, reader], "all arrive")
    },
]
