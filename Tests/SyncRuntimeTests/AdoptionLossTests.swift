import EntitySync
import SyncAccounts
import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Whatever a guest has written is with the account after a sign-in that adopts it, or still with the guest.
@Suite struct AdoptionLossTests {
    static let anna = AccountID("anna")
    let note = Entities.note(strategy: .preserveLocal)

    private func connect(_ device: AccountDevice) {
        device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: device.entities)))
    }

    /// Two forms of the guest that were open at the same time: one is shown, and a person must decide.
    private func saveTwice(_ guest: AccountSession, _ words: (first: String, second: String)) throws {
        try guest.put(entity: note, json: #"{"id":"n","title":"as both read it"}"#)
        let read = try #require(try guest.local(entity: note, key: "n")).version.record
        for word in [words.first, words.second] {
            var form = read
            form.values[1] = .text(word)
            let edited = form
            _ = try guest.writer.write { try $0.save(entity: note, record: edited, since: read) }
        }
        try #require(try guest.local(entity: note, key: "n")?.state == .conflict)
    }

    private func titles(_ session: AccountSession, of entity: EntityDescriptor? = nil) throws -> Set<String> {
        let lost = try session.store.read { try $0.journal() }.compactMap { $0.lost.record.values[1]?.string }
        return try Set(lost).union(session.values(entity: entity ?? note).values)
    }

    @Test func theOtherSideOfAConflictIsInTheAccountsJournal() async throws {
        try await withDevice(entities: note) { device in
            connect(device)
            let app = try device.start()
            try saveTwice(await app.current, ("word1", "word2"))
            let session = try await app.signIn(Self.anna).session
            #expect(try titles(session).isSuperset(of: ["word1", "word2"]))
        }
    }

    @Test func whatWaitsBesideADeletedRecordIsInTheAccountsJournal() async throws {
        try await withDevice(entities: note) { device in
            connect(device)
            let app = try device.start()
            let guest = await app.current
            try guest.put(entity: note, json: #"{"id":"n","title":"as both read it"}"#)
            let read = try #require(try guest.local(entity: note, key: "n")).version.record
            var form = read
            form.values[1] = .text("word1")
            let edited = form
            _ = try guest.writer.write { session in
                try session.delete(entity: note, key: RecordKey("n"))
                _ = try session.save(entity: note, record: edited, since: read)
            }
            let session = try await app.signIn(Self.anna).session
            #expect(try titles(session).contains("word1"))
        }
    }

    @Test func theGuestsJournalComesAlong() async throws {
        try await withDevice(entities: note) { device in
            connect(device)
            let app = try device.start()
            let guest = await app.current
            try saveTwice(guest, ("word1", "word2"))
            try guest.writer.resolve(entity: note, key: RecordKey("n"), with: .local)
            let lost = try guest.store.read { try $0.journal() }
            try #require(!lost.isEmpty)
            let session = try await app.signIn(Self.anna).session
            #expect(try session.store.read { try $0.journal() }.map(\.id) == lost.map(\.id))
            #expect(try titles(session).isSuperset(of: ["word1", "word2"]))
        }
    }

    @Test(arguments: [true, false])
    func aRecordThatTheAppsNewVersionCannotReadIsNotLost(isTaken: Bool) async throws {
        let strict = Entities.note(
            strategy: .preserveLocal,
            fields: [FieldDescriptor(name: "rating", type: .integer(), isRequired: true)]
        )
        try await withDevice(entities: note) { device in
            try await device.start().current.put(entity: note, json: #"{"id":"n","title":"word1"}"#)
            let updated = AccountDevice(root: device.root, entities: [strict], seed: 8)
            connect(updated)
            let app = try updated.start()
            if isTaken {
                let session = try await app.signIn(Self.anna, adopting: .nothing).session
                try session.put(entity: strict, json: #"{"id":"n","title":"word2","rating":1}"#)
                try await app.switchTo(.guest)
            }
            let session = try await app.signIn(Self.anna).session
            if isTaken {
                #expect(try session.values(entity: strict) == ["n": "word2"])
                #expect(try titles(session, of: strict).contains("word1"))
            } else {
                #expect(try session.local(entity: strict, key: "n")?.visibility == .setAside)
                #expect(
                    try session.local(entity: strict, key: "n")?.version.record.values[1] == .text("word1")
                )
                let counts = try session.store.read { try $0.unsent(entities: [strict]) }
                #expect(counts.contains { $0.total > 0 })
            }
        }
    }

    @Test func recordsOfATypeThatTheAppListsNoMoreStayWithTheGuest() async throws {
        let memo = Entities.memo
        try await withDevice(entities: note, memo) { device in
            try await device.start().current.put(entity: memo, json: #"{"id":"written as a guest"}"#)
            let updated = AccountDevice(root: device.root, entities: [note], seed: 8)
            connect(updated)
            let app = try updated.start()
            try await app.current.put(entity: note, json: #"{"id":"n","title":"word1"}"#)
            for _ in 0..<2 {
                await #expect(throws: SyncError.self) { try await app.signIn(Self.anna) }
                #expect(await app.current.id == .guest)
            }
            #expect(try await app.current.values(entity: note) == ["n": "word1"])
            try await app.current.put(entity: note, json: #"{"id":"n","title":"word2"}"#)
            try await app.signIn(Self.anna, adopting: .nothing)
            #expect(try device.holds("written as a guest"))
            let again = AccountDevice(root: device.root, entities: [note, memo], seed: 9)
            connect(again)
            let session = try await again.start().signIn(Self.anna).session
            #expect(
                try session.local(entity: memo, key: "written as a guest") != nil,
                "listed again, it is adopted"
            )
        }
    }

    @Test func signingOutCountsWhatOnlyAnEarlierVersionOfTheAppListed() async throws {
        let memo = Entities.memo
        try await withDevice(entities: note, memo) { device in
            connect(device)
            let session = try await device.start().signIn(Self.anna).session
            try session.put(entity: memo, json: #"{"id":"word1"}"#)
            let updated = AccountDevice(root: device.root, entities: [note], seed: 8)
            connect(updated)
            let app = try updated.start()
            await #expect(
                throws: UnsentRecords(counts: [
                    UnsentCounts(entity: "note"), UnsentCounts(entity: "memo", pending: 1),
                ])
            ) {
                try await app.signOut(.requireSynced)
            }
            #expect(try device.holds("word1"))
        }
    }

    /// Another process, such as a share extension, has the guest open when this one ends in the middle of a sign-in.
    @Test func whatAnotherProcessWritesAfterACrashIsRefusedOrFoundAgain() async throws {
        for place in AccountFault.Place.allCases {
            for step in 0... {
                var isOver = false
                try await withDevice(entities: note) { device in
                    connect(device)
                    try await device.start().current.put(entity: note, json: #"{"id":"n","title":"t"}"#)
                    let fault = AccountFault()
                    let app = try device.start(storage: FaultyAccountFiles(device: device, fault: fault))
                    let other = try await device.start().current
                    fault.strike(at: step, place: place, isLasting: true)
                    do { try await app.signIn(Self.anna) } catch is AccountFault.Struck {}
                    isOver = !fault.hasStruck
                    let isWritten = (try? other.put(entity: note, json: #"{"id":"late","title":"t"}"#)) != nil
                    let next = try device.start()
                    let here = try await next.current.values(entity: note)
                    let there = try await next.signIn(Self.anna).session.values(entity: note)
                    #expect(here["n"] != nil || there["n"] != nil)
                    if isWritten { #expect(there["late"] != nil, "step \(step), \(place)") }
                }
                if isOver { break }
            }
        }
    }
}
