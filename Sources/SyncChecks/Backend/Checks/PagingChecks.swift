import SyncCore

/// Checks of paging, with and without concurrent writes.
let pagingChecks: [BackendCheck] = [
    BackendCheck(
        id: "equal-timestamps",
        guarantee: "records with one edit time arrive once each over page borders"
    ) {
        scene in
        let (writer, readers) = (scene.client(number: 1), try await scene.newAndOldReader())
        for number in 0..<(try scene.threePages()) {
            try writer.edit(scene.main, key: scene.main.key(number: number), time: 5)
        }
        try await writer.sync()
        for reader in readers {
            let outcome = try await reader.sync()
            try require(
                outcome.pages.count > 2,
                expected: "three pages",
                found: "there were \(outcome.pages.count)"
            )
            let repeated = reader.deliveries.values.count { $0 > 1 }
            try require(repeated == 0, expected: "each record once", found: "\(repeated) came more often")
        }
        try scene.requireSame([writer] + readers, what: "all records arrive")
    },
    BackendCheck(
        id: "commit-while-paging",
        guarantee: "records that are stored between two pages are not skipped"
    ) {
        scene in
        let (writer, readers, other) = (
            scene.client(number: 1), try await scene.newAndOldReader(), scene.client(number: 4)
        )
        let count = try scene.threePages()
        for number in 0..<count {
            try writer.edit(scene.main, key: scene.main.key(number: 2 * number + 1), time: 5)
        }
        try await writer.sync()
        try await scene.interrupted(readers: readers) {
            // Before, between and after the other records, by key and by time.
            for number in 0..<5 {
                try other.edit(
                    scene.main,
                    key: scene.main.key(number: number * count / 2),
                    time: Int64(number) * 3
                )
            }
            try await other.sync()
        }
        try scene.requireSame([try await scene.freshClient()] + readers, what: "a reader misses nothing")
    },
    BackendCheck(
        id: "edit-while-paging",
        guarantee: "records that change or go between two pages arrive in their last state"
    ) {
        scene in
        let (writer, readers) = (scene.client(number: 1), try await scene.newAndOldReader())
        let count = try scene.threePages()
        for number in 0..<count { try writer.edit(scene.main, key: scene.main.key(number: number), time: 5) }
        try await writer.sync()
        try await scene.interrupted(readers: readers) {
            for number in [0, count / 2, count - 1] {
                try writer.edit(scene.main, key: scene.main.key(number: number), time: 6)
                try writer.edit(
                    scene.main,
                    key: scene.main.key(number: number + (number == 0 ? 1 : -1)),
                    isDeleted: true
                )
            }
            try await writer.sync()
        }
        try scene.requireSame([writer] + readers, what: "a reader has the last state of each record")
    },
    BackendCheck(
        id: "late-commit",
        guarantee: "a record of a session that opened early and pushed late is not skipped"
    ) {
        scene in
        let (early, other, reader) = (
            scene.client(number: 1), scene.client(number: 2), scene.client(number: 3)
        )
        let session = try await early.open()
        try await early.pull(session)
        try other.edit(scene.main, key: scene.main.key(number: 1), time: 9)
        for client in [other, reader] { try await client.sync() }
        try early.edit(scene.main, key: scene.main.key(number: 2), time: 5)
        _ = try await early.push(session)
        try await session.close(cursor: early.cursor)
        for client in [early, other, reader] { try await client.sync() }
        try require(early.shown.count == 2, expected: "2 records", found: "there are \(early.shown.count)")
        try scene.requireSame([early, other, reader], what: "nobody misses it")
    },
    BackendCheck(
        id: "concurrent-writers",
        guarantee: "whatever order writes are stored in, a reader that keeps reading misses none"
    ) {
        scene in
        let reader = scene.client(number: 9)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...4 {
                group.addTask {
                    let writer = scene.client(number: UInt64(number))
                    for round in 0..<4 {
                        for index in 0..<5 {
                            try writer.edit(
                                scene.main,
                                key: scene.main.key(number: number * 100 + round * 10 + index)
                            )
                        }
                        try await writer.sync()
                    }
                }
            }
            for _ in 0..<8 { try await reader.sync() }
            try await group.waitForAll()
        }
        try await reader.sync()
        try require(
            reader.shown.count == 80,
            expected: "80 records",
            found: "there are \(reader.shown.count)"
        )
        try scene.requireSame([try await scene.freshClient(), reader], what: "a reader misses nothing")
    },
    BackendCheck(
        id: "resume",
        guarantee: "a sync that ends after any page goes on where it was, and loses nothing"
    ) {
        scene in
        let (writer, readers) = (scene.client(number: 1), try await scene.newAndOldReader())
        let count = try scene.threePages()
        for number in 0..<count { try writer.edit(scene.main, key: scene.main.key(number: number)) }
        try await writer.sync()
        let resumes = scene.profile.resumesAfterEachPage
        for reader in readers {
            var isDone = false
            for round in 1...(count + 2) where !isDone {
                let session = try await reader.open()
                let limit = resumes ? 1 : round
                isDone = try await reader.pull(session, pages: limit).count < limit
                // In every second round the process ends before the session is closed.
                if round % 2 == 0 || isDone { try await session.close(cursor: reader.cursor) }
            }
            try require(isDone, expected: "an end of the pages", found: "each session began anew")
            let repeated = reader.deliveries.values.count { $0 > 1 }
            try require(
                !resumes || repeated == 0,
                expected: "no step backwards",
                found: "\(repeated) records came again"
            )
        }
        try scene.requireSame([writer] + readers, what: "all records arrive")
    },
    BackendCheck(id: "rest", guarantee: "a sync after which nothing happened is followed by an empty one") {
        scene in
        let (first, second) = (scene.client(number: 1), scene.client(number: 2))
        for number in 0..<4 { try first.edit(scene.main, key: scene.main.key(number: number)) }
        try await first.sync()
        try await second.sync()
        try second.edit(scene.main, key: scene.main.key(number: 1))
        try await second.sync()
        for client in [first, second, first, second] { try await client.sync() }
        for client in [first, second] {
            let items = try await client.sync().items
            try require(items == 0, expected: "no records", found: "\(items) came")
        }
    },
    BackendCheck(id: "idle-requests", guarantee: "a sync with nothing to do costs one request at most") {
        scene in
        let (first, second) = (scene.client(number: 1), scene.client(number: 2))
        for material in scene.material { try first.edit(material, key: material.key(number: 1)) }
        for client in [first, second, first, second] { try await client.sync() }
        let requests = try await first.sync().requests
        let limit = scene.profile.idleRequests
        try require(requests <= limit, expected: "at most \(limit) requests", found: "there were \(requests)")
    },
]

extension Scene {
    /// A store that never synced, and one that synced while the remote was empty. The first gets a snapshot,
    /// the second changes.
    func newAndOldReader() async throws -> [Client] { [client(number: 2), try await freshClient(number: 3)] }

    /// Runs `body` after the first page of some readers. Then they read to the end and sync once more.
    func interrupted(readers: [Client], body: () async throws -> Void) async throws {
        var sessions: [any RemoteSession] = []
        for reader in readers {
            let session = try await reader.open()
            try await reader.pull(session, pages: 1)
            sessions.append(session)
        }
        try await body()
        for (reader, session) in zip(readers, sessions) {
            try await reader.pull(session)
            try await session.close(cursor: reader.cursor)
            try await reader.sync()
        }
    }
}
