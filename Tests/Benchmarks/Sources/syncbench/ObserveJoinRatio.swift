import EntitySync

/// How many milliseconds later an observation of a join tells one changed record of 10,000 than one of a single entity.
enum ObserveJoinRatio {
    private static let papers = 10_000
    private static let drawers = 100
    private static let changes = 20

    static func measure(_ bench: Bench) async throws -> Measurement {
        let folder = try bench.folder(path: "papers")
        let space = try SyncSpace.open(
            SpaceConfiguration(folder: folder, entities: [Drawer.self, Paper.self])
        )
        try await space.write { batch in
            for number in 0..<drawers { try batch.insert(Drawer(id: "d\(number)", room: "study")) }
            for number in 0..<papers { try batch.insert(paper(number: number, title: "as it was")) }
        }
        let inStudy = Paper.Fields.drawerId.refers(to: Drawer.Fields.room == "study")
        let joined = try await ObservedPapers(space, query: SyncQuery().filter(inStudy), count: papers)
        let single = try await ObservedPapers(space, query: SyncQuery(), count: papers)
        var often = bench
        often.rounds = max(bench.rounds, changes)
        let sides = try await often.takeTurns(ours: joined.side(), yardstick: single.side())
        space.close()
        try bench.remove(folder)
        let (ours, yardstick) = (sides.ours.median, sides.yardstick.median)
        return Measurement(
            ratio: (ours - yardstick) * 1000,
            ours: ours,
            yardstick: yardstick,
            note: "one of \(papers) records is edited, and told by an observation; milliseconds more"
        )
    }

    /// A paper in one of the drawers.
    static func paper(number: Int, title: String) -> Paper {
        Paper(id: "p\(number)", drawerId: "d\(number % drawers)", title: title)
    }

    /// The records of a query as an app observes them.
    private final class ObservedPapers {
        private let papers: SyncCollection<Paper>
        private let count: Int
        private var results: SyncObservation<[Paper]>.Iterator
        private var turn = 0

        init(_ space: SyncSpace, query: SyncQuery<Paper>, count: Int) async throws {
            papers = space.collection(Paper.self)
            self.count = count
            results = papers.observe(query).makeAsyncIterator()
            guard try await results.next()?.count == count else {
                throw Unmeasured(reason: "the observation does not show all records")
            }
        }

        /// Each round edits a record; what is measured is the time until the observation has told it.
        func side() -> Bench.Side<Paper> {
            Bench.Side(
                prepare: {
                    self.turn += 1
                    let number = self.turn * 7919 % self.count
                    return try self.papers.save(
                        ObserveJoinRatio.paper(number: number, title: "edit \(self.turn)")
                    )
                },
                run: { edited in try await self.awaitResult(with: edited) }
            )
        }

        /// Edits of the other side may be told first.
        private func awaitResult(with edited: Paper) async throws {
            while let list = try await results.next() {
                if list.contains(edited) { return }
            }
            throw Unmeasured(reason: "an edit is not told")
        }
    }
}
