import SyncCore
import SyncServer
import SyncWire
import Testing

/// The memory for one request does not grow with the log or with the request.
@Suite(.everyLogStore, .ofStores) struct ExchangeBoundTests {
    /// Room for entities and numbers around the records of an answer.
    private static let frameBytes = 2_000
    private static let recordBytes = 1_000

    private static func fill(_ bench: ExchangeBench, records: Int) async throws {
        let one = Client(bench: bench)
        for start in stride(from: 0, to: records, by: 20) {
            let notes = (start..<start + 20).map {
                Change.note(key: "\($0)", title: String(repeating: "x", count: 500))
            }
            #expect(try await one.exchange(changes: notes).results == notes.map { _ in "accepted" })
        }
    }

    @Test(arguments: [100, 800]) func anAnswerHoldsAPageHoweverLargeTheLogIs(records: Int) async throws {
        let limits = WireLimits(pageRecords: 1_000, pageBytes: 20_000)
        let bench = try ExchangeBench(limits: limits)
        try await Self.fill(bench, records: records)
        let two = Client(bench: bench, device: 2)
        var (given, pages) = (0, 0)
        while true {
            let reply = try await two.exchange(limit: .max)
            #expect(reply.body.count <= limits.pageBytes + Self.recordBytes + Self.frameBytes)
            given += reply.page.count
            pages += 1
            if reply.answer?.hasMore != true { break }
        }
        #expect(given == records)
        #expect(pages >= records * 500 / limits.pageBytes)
    }

    @Test(arguments: [10, 100]) func anAnswerToAPushHoldsNoMoreThanARequestMayHold(conflicts: Int)
        async throws
    {
        let limits = WireLimits(changes: 1_000, requestBytes: 30_000, pageRecords: 1, pageBytes: 1_000)
        let bench = try ExchangeBench(limits: limits)
        try await Self.fill(bench, records: 100)
        let two = Client(bench: bench, device: 2)
        // Each of these small changes conflicts with a large record.
        let reply = try await two.exchange(
            changes: (0..<conflicts).map { .note(key: "\($0)", title: "mine") }
        )
        let bound = limits.requestBytes + limits.pageBytes + Self.recordBytes + Self.frameBytes
        #expect(reply.body.count <= bound)
        #expect((reply.error?.code == .tooLarge) == (conflicts == 100))
    }
}
