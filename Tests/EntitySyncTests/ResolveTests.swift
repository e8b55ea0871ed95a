import EntitySync
import Foundation
import SyncChecks
import Testing

/// Decisions on many conflicts, and on records whose key has several fields.
@Suite struct ResolveTests {
    let scratch: Scratch
    let clock = ManualClock()
    let phone: SyncSpace
    let tablet: SyncSpace

    init() throws {
        scratch = try Scratch()
        phone = try Self.open(scratch, name: "phone", clock: clock)
        tablet = try Self.open(scratch, name: "tablet", clock: clock)
    }

    private static func open(_ scratch: Scratch, name: String, clock: ManualClock) throws -> SyncSpace {
        try SyncSpace.open(
            SpaceConfiguration(
                folder: scratch.path + "/" + name,
                entities: [Seat.self],
                remote: scratch.remote,
                deviceLabel: name,
                environment: SpaceEnvironment(clock: clock, random: SeededRandom(UInt64(name.utf8.count)))
            )
        )
    }

    private var seats: SyncCollection<Seat> { phone.collection(Seat.self) }

    /// Seats that both devices gave to somebody, from 1 on; the phone is in conflict.
    private func conflicts(_ count: Int) async throws {
        let others = tablet.collection(Seat.self)
        for number in 1...count {
            try await seats.insert(Seat(room: "hall", number: number, holder: "nobody"))
        }
        try await phone.sync()
        try await tablet.sync()
        for number in 1...count {
            try await seats.save(Seat(room: "hall", number: number, holder: number == 1 ? "ann" : "phone"))
            try await others.save(Seat(room: "hall", number: number, holder: "tablet"))
        }
        try await tablet.sync()
        try await phone.sync()
        try #require(try await seats.conflicts().count == count)
    }

    @Test func whoObservesConflictsSeesTheOthersNextEdit() async throws {
        try await conflicts(1)
        var lists = seats.observe { collection, _ in try collection.conflicts() }.makeAsyncIterator()
        #expect(try await lists.next()?.map(\.remote?.holder) == ["tablet"])
        clock.advance(seconds: 60)
        let others = tablet.collection(Seat.self)
        var seat = try #require(try await others.all().first)
        seat.holder = "tablet again"
        try await others.update(seat)
        try await tablet.sync()
        try await phone.sync()
        #expect(try await lists.next()?.map(\.remote?.holder) == ["tablet again"])
    }

    private func holders(_ space: SyncSpace) async throws -> [String] {
        try await space.collection(Seat.self).all().map(\.holder)
    }

    @Test func aConflictIsResolvedByTheKeyThatListsGiveOfWhateverFieldsItIs() async throws {
        try await conflicts(3)
        let ids = try await seats.conflicts().map(\.id)
        try await seats.resolve(id: ids[0], with: .local)
        let key = try #require(try await seats.conflicts().first?.local?.id)
        try await seats.resolve(key, with: .remote)
        try await seats.resolve(id: ids[2], with: .value(Seat(room: "hall", number: 3, holder: "both")))
        #expect(try await holders(phone) == ["ann", "tablet", "both"])
        await #expect(throws: SyncError.self) { try await seats.resolve(id: ids[0], with: .local) }
        try await phone.sync()
        try await tablet.sync()
        #expect(try await holders(tablet) == ["ann", "tablet", "both"])
    }

    @Test func allConflictsAreResolvedInOneTransaction() async throws {
        try await conflicts(4)
        #expect(try await seats.resolveConflicts { _ in .remote } == 4)
        #expect(try await holders(phone) == Array(repeating: "tablet", count: 4))
        #expect(try await seats.resolveConflicts { _ in .remote } == 0)
        let lost = try seats.journal().compactMap { $0.lost?.holder }
        #expect(Set(lost).isSuperset(of: ["ann", "phone"]), "what the phone gave up can be restored")
    }

    @Test func oneDecisionThatDoesNotFitLeavesAllConflicts() async throws {
        try await conflicts(3)
        let error = await #expect(throws: SyncError.self) {
            try await seats.resolveConflicts { conflict in
                conflict.local?.number == 3 ? .value(Seat(room: "other", number: 3, holder: "x")) : .remote
            }
        }
        #expect(error?.record?.text == #"["hall",3]"#)
        #expect(try await seats.conflicts().count == 3)
        #expect(try await holders(phone) == ["ann", "phone", "phone"])
    }

    @Test func aQueryAndTheDecisionItselfSayWhichConflictsAreMeant() async throws {
        try await conflicts(3)
        let query = SyncQuery<Seat>().filter(Seat.Fields.holder == "phone")
        let count = try await seats.resolveConflicts(of: query) { $0.local?.number == 2 ? nil : .remote }
        #expect(count == 1)
        #expect(try await holders(phone) == ["ann", "phone", "tablet"])
        #expect(try await seats.conflicts().count == 2)
    }

    @Test func aRecordTellsWhenBothSidesLastHadTheSame() async throws {
        let seat = try await seats.insert(Seat(room: "hall", number: 1, holder: "ann"))
        #expect(try await seats.lastSynced(seat.id) == nil)
        clock.advance(seconds: 100)
        try await phone.sync()
        let first = try #require(try await seats.lastSynced(seat.id))
        #expect(try phone.status().lastSuccess == first)
        clock.advance(seconds: 100)
        try await seats.save(Seat(room: "hall", number: 1, holder: "bob"))
        #expect(
            try await seats.lastSynced(seat.id) == first,
            "the edit waits, and what it replaces was there"
        )
        let new = try await seats.insert(Seat(room: "hall", number: 2, holder: "new"))
        #expect(try await seats.lastSynced(new.id) == nil)
        try await phone.sync()
        #expect(try await seats.lastSynced(seat.id) ?? first > first)
        #expect(try await seats.lastSynced(new.id) == phone.status().lastSuccess)
    }

    @Test func aRecordInConflictHasNoSuchTime() async throws {
        try await conflicts(1)
        let id = try #require(try await seats.all().first?.id)
        #expect(try await seats.lastSynced(id) == nil)
    }
}
