#if Server
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import Testing

    extension SupabaseTests {
        /// Transactions that commit late are never skipped, and keep nobody waiting.
        @Suite struct Feeds {
            @Test(arguments: [1, 2, 3, 4] as [UInt64])
            func lateCommitsAreNeitherLostNorTwiceAndStallNobody(seed: UInt64) async throws {
                try await SupabaseProject.run { project in
                    let story = try await LateCommitStory(project, seed: seed)
                    let outcome = try await story.run(ExchangeFeed(project))
                    #expect(
                        outcome.lost.isEmpty && outcome.twice.isEmpty && outcome.stalled.isEmpty,
                        "\(outcome)"
                    )
                    #expect(outcome.late > 20 && outcome.written > 60, "\(outcome)")
                }
            }

            /// The story can fail: the two usual feeds do.
            @Test func aFeedByTheTimeOfTheLastChangeLosesLateCommits() async throws {
                try await SupabaseProject.run { project in
                    let outcome = try await LateCommitStory(project, seed: 1).run(TimeFeed(project))
                    #expect(!outcome.lost.isEmpty, "\(outcome)")
                }
            }

            @Test func aFeedUpToTheOldestOpenTransactionStallsEveryone() async throws {
                try await SupabaseProject.run { project in
                    let outcome = try await LateCommitStory(project, seed: 1).run(
                        OldestTransactionFeed(project)
                    )
                    #expect(!outcome.stalled.isEmpty && outcome.lost.isEmpty, "\(outcome)")
                }
            }
        }
    }

    /// What gives a device the new records.
    private protocol Feed {
        /// The keys of what is new since the last pull.
        func pull() async throws -> [String]
    }

    /// Writers that hold their transactions open across the pulls of a device.
    private final class LateCommitStory {
        private let project: SupabaseProject
        private var seed: Seed
        private var writers: [Writer] = []
        private var number = 0

        private struct Writer {
            let session: SQLConnection
            /// What its open transaction wrote.
            var keys: [String] = []
            var pullsWhileOpen = 0
        }

        struct Outcome {
            var written = 0
            /// Commits after a pull that could not see them.
            var late = 0
            var lost: [String] = []
            var twice: [String] = []
            /// Committed, but not in the next pull.
            var stalled: [String] = []
        }

        init(_ project: SupabaseProject, seed: UInt64) async throws {
            self.project = project
            self.seed = Seed(seed)
            for _ in 0..<4 { writers.append(Writer(session: try await project.session(.ada))) }
        }

        /// Runs 160 random steps of the writers, with pulls between them, and then lets all commit.
        func run(_ feed: some Feed) async throws -> Outcome {
            var outcome = Outcome()
            var committed: [String] = []
            var seen: [String: Int] = [:]
            for _ in 0..<160 {
                let index = Int.random(in: 0..<writers.count, using: &seed)
                switch Int.random(in: 0..<10, using: &seed) {
                case 0..<5: try await write(index)
                case 5..<8: committed += try await end(index, outcome: &outcome)
                default:
                    for key in try await feed.pull() { seen[key, default: 0] += 1 }
                    for index in writers.indices where !writers[index].keys.isEmpty {
                        writers[index].pullsWhileOpen += 1
                    }
                    outcome.stalled += committed.filter { seen[$0] == nil }
                }
            }
            for index in writers.indices { committed += try await end(index, outcome: &outcome) }
            // Other tests on the same server may hold transactions open, too.
            for _ in 0..<2400 {
                for key in try await feed.pull() { seen[key, default: 0] += 1 }
                if committed.allSatisfy({ seen[$0] != nil }) { break }
                try await Task.sleep(for: .milliseconds(25))
            }
            outcome.written = committed.count
            outcome.lost = committed.filter { seen[$0] == nil }
            outcome.twice = seen.filter { $0.value > 1 }.map(\.key)
            // What never came was not only late.
            outcome.stalled = Set(outcome.stalled).subtracting(outcome.lost).sorted()
            return outcome
        }

        /// Inserts one to three bookmarks in the writer's transaction, one time in four in a part that is rolled back.
        private func write(_ index: Int) async throws {
            let session = writers[index].session
            if writers[index].keys.isEmpty { try await session.run("begin") }
            let isUndone = Int.random(in: 0..<4, using: &seed) == 0
            if isUndone { try await session.run("savepoint part") }
            for _ in 0..<Int.random(in: 1...3, using: &seed) {
                number += 1
                // The time of the statement, as an app sets it.
                let insert = Body.insertBookmark(number).replacing(
                    "'2025-01-01')",
                    with: "clock_timestamp())"
                )
                try await session.run(insert)
                if !isUndone { writers[index].keys.append(Body.key(number)) }
            }
            if isUndone { try await session.run("rollback to savepoint part") }
            if writers[index].keys.isEmpty { try await session.run("rollback") }
        }

        /// Commits the writer's transaction, or rolls it back. Returns the keys that were committed.
        private func end(_ index: Int, outcome: inout Outcome) async throws -> [String] {
            let writer = writers[index]
            guard !writer.keys.isEmpty else { return [] }
            let commits = Int.random(in: 0..<5, using: &seed) > 0
            try await writer.session.run(commits ? "commit" : "rollback")
            writers[index].keys = []
            writers[index].pullsWhileOpen = 0
            if commits, writer.pullsWhileOpen > 0 { outcome.late += writer.keys.count }
            return commits ? writer.keys : []
        }
    }

    /// The feed of the exchange.
    private struct ExchangeFeed: Feed {
        let device: WireDevice

        init(_ project: SupabaseProject) async throws {
            device = try await WireDevice(project, number: 1)
        }

        func pull() async throws -> [String] { try await device.pull().compactMap { $0["key"]?.text } }
    }

    /// A feed of what changed after the last change that was seen.
    private final class TimeFeed: Feed {
        private let session: SQLConnection
        private var last = "-infinity"

        init(_ project: SupabaseProject) async throws {
            session = try await project.session(.ada)
        }

        func pull() async throws -> [String] {
            let rows = try await session.run(
                "select id, updated_at from public.bookmarks where updated_at > $1 order by updated_at, id",
                last
            )
            last = rows.last?[1] ?? last
            return rows.compactMap { $0[0] }
        }
    }

    /// A feed of what transactions wrote that are older than every open one.
    private final class OldestTransactionFeed: Feed {
        private let session: SQLConnection
        private var last = "0"

        init(_ project: SupabaseProject) async throws {
            session = project.admin
        }

        func pull() async throws -> [String] {
            let bounds = try await session.run("select pg_snapshot_xmin(pg_current_snapshot())")
            let end = bounds.first?.first.flatMap { $0 } ?? last
            let rows = try await session.run(
                """
                select unnest(keys) from entitysync.log
                where xmin::text::bigint >= $1::bigint and xmin::text::bigint < $2::bigint order by id
                """,
                last,
                end
            )
            last = end
            return rows.compactMap { $0[0] }
        }
    }
#endif
