import SyncCore

/// Checks of pushes with many changes.
let batchChecks: [BackendCheck] = [
    BackendCheck(
        id: "partial-batch",
        guarantee: "one change that breaks its schema is refused, and the others in its batch are stored"
    ) {
        scene in
        try scene.needs(\.validates, why: "The remote does not look into records.")
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        let secret = "value-that-no-message-shows"
        let bad = scene.main.key(number: 2)
        for number in 1...3 { try writer.edit(scene.main, key: scene.main.key(number: number)) }
        let id = try writer.edit(scene.main, key: bad, body: scene.main.brokenBody(key: bad, value: secret))
        let results = try await writer.sync().results
        guard case .refused(let reason)? = results[id] else {
            let word = results[id]?.word ?? "not answered"
            throw CheckError.failed("Expected that the broken change is refused, but it was \(word).")
        }
        try require(
            !reason.isEmpty && !reason.contains(secret),
            expected: "a reason without values",
            found: "it is not one"
        )
        for (other, result) in results where other != id {
            try require(
                result.isAccepted,
                expected: "that the good changes are stored",
                found: "one was \(result.word)"
            )
        }
        try await reader.sync()
        try require(reader.shown.count == 2, expected: "2 records", found: "\(reader.shown.count) arrived")
        let items = try await writer.sync().items
        try require(items == 0, expected: "a remote at rest", found: "\(items) records came again")
    },
    BackendCheck(id: "key-in-body", guarantee: "a change whose body has another key is refused") { scene in
        try scene.needs(\.validates, why: "The remote does not look into records.")
        let writer = scene.client(number: 1)
        let id = try writer.edit(
            scene.main,
            key: scene.main.key(number: 1),
            body: scene.main.body(key: scene.main.key(number: 2), time: 0)
        )
        let result = try await writer.sync().results[id]
        guard case .refused? = result else {
            throw CheckError.failed(
                "Expected that it is refused, but it was \(result?.word ?? "not answered")."
            )
        }
        let fresh = try await scene.freshClient()
        try require(fresh.known.isEmpty, expected: "no record", found: "\(fresh.known.count) arrived")
    },
    BackendCheck(
        id: "limits",
        guarantee: "a push just below, at and above the limit stores each change once or says that it did not"
    ) {
        scene in
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        let probe = try await writer.open()
        try await writer.pull(probe)
        let limit = await probe.pushLimit().changes
        try await probe.close(cursor: writer.cursor)
        try require(limit > 0, expected: "a limit of at least one change", found: "it is \(limit)")
        let size = min(limit, 1_000)
        var next = 0
        for count in [max(size - 1, 1), size, size + 1] {
            for number in next..<(next + count) {
                try writer.edit(scene.main, key: scene.main.key(number: number))
            }
            next += count
            let session = try await writer.open()
            try await writer.pull(session)
            do {
                for (_, result) in try await writer.send(writer.outgoing, session: session) {
                    var isStored = result.isAccepted
                    if case .notSent = result { isStored = count > limit }
                    try require(
                        isStored,
                        expected: "that \(count) changes are stored",
                        found: "one was \(result.word)"
                    )
                }
            } catch let error as SyncError {
                try require(
                    count > limit,
                    expected: "no error for \(count) of \(limit) changes",
                    found: "there was: \(error.message)"
                )
            }
            try await session.close(cursor: writer.cursor)
            // Pushes the rest in smaller parts.
            try await writer.sync()
        }
        try await reader.sync()
        try require(
            reader.shown.count == next,
            expected: "\(next) records",
            found: "\(reader.shown.count) arrived"
        )
        try scene.requireSame([writer, reader], what: "each is stored once")
    },
    BackendCheck(
        id: "two-entities",
        guarantee: "records of several entities travel in one push and arrive in one sync"
    ) {
        scene in
        guard scene.material.count > 1 else {
            throw CheckError.notApplicable("There is only one entity to draw.")
        }
        let (writer, reader) = (scene.client(number: 1), scene.client(number: 2))
        for material in scene.material {
            for number in 1...2 { try writer.edit(material, key: material.key(number: number)) }
        }
        let session = try await writer.open()
        try await writer.pull(session)
        guard await session.pushLimit().changes >= writer.outgoing.count else {
            throw CheckError.notApplicable("A push holds fewer changes than that.")
        }
        for (_, result) in try await writer.send(writer.outgoing, session: session) {
            try require(result.isAccepted, expected: "that all are stored", found: "one was \(result.word)")
        }
        try await session.close(cursor: writer.cursor)
        try await reader.sync()
        let count = 2 * scene.material.count
        try require(
            reader.shown.count == count,
            expected: "\(count) records",
            found: "\(reader.shown.count) arrived"
        )
        try scene.requireSame([writer, reader], what: "all arrive")
    },
]
