import EntitySync
import Foundation
import SyncAccounts
import SyncChecks
import SyncCore
import SyncRuntime
import Testing

@Suite struct AccountAdoptionTests {
    static let anna = AccountID("anna")

    /// Puts records into the account, then into the guest's store, and signs in.
    private func adopt(
        _ note: EntityDescriptor,
        account: [String],
        guest: [String],
        isSynced: Bool = true,
        _ check: (AccountDevice, AdoptionReport, AccountSession) async throws -> Void
    ) async throws {
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            let app = try device.start()
            let session = try await app.signIn(Self.anna).session
            for json in account { try session.put(entity: note, json: json) }
            if isSynced { try await _ = session.sync() }
            try await app.signOut(.keep)
            device.clock.advance(seconds: 60)
            for json in guest { try await app.current.put(entity: note, json: json) }
            let preview = try await app.adoptionPreview(id: Self.anna)
            #expect(await app.current.id == .guest)
            let signIn = try await app.signIn(Self.anna)
            let report = try #require(signIn.adoption)
            #expect(preview == report)
            try await check(device, report, signIn.session)
            // The guest is empty afterwards.
            #expect(try await app.switchTo(.guest).values(entity: note).isEmpty)
        }
    }

    private func counts(moved: Int = 0, merged: Int = 0, duplicates: Int = 0, conflicts: Int = 0)
        -> AdoptionReport
    {
        var counts = AdoptionCounts(entity: "note")
        (counts.moved, counts.merged) = (moved, merged)
        (counts.duplicates, counts.conflicts) = (duplicates, conflicts)
        return AdoptionReport(entities: [counts])
    }

    @Test func aPreviewCountsAndWritesNothing() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            let app = try device.start()
            try await app.current.put(entity: note, json: #"{"id":"n","title":"t"}"#)
            let index = try device.files.readIndex()
            let folders = try device.folders()
            #expect(try await app.adoptionPreview(id: Self.anna) == counts(moved: 1))
            #expect(try device.folders() == folders)
            #expect(try device.files.readIndex() == index)
            #expect(try await app.current.values(entity: note) == ["n": "t"])
            #expect(try await app.accounts().isEmpty)
        }
    }

    @Test func aNewRecordKeepsItsKeyAndTimeAndGetsAMarkOfTheAccountsStore() async throws {
        let note = Entities.note(strategy: .setUnion, fields: [Entities.tags])
        try await adopt(note, account: [], guest: [#"{"id":"n","title":"t","tags":["x","y"]}"#]) {
            device,
            report,
            session in
            #expect(report == counts(moved: 1))
            let local = try #require(try session.local(entity: note, key: "n"))
            let own = try session.store.read { try $0.value(name: "device") }
            #expect(local.state == .pending)
            #expect(local.version.metadata.editTimestamp.device.description == own)
            #expect(local.version.metadata.editTimestamp.time == device.clock.now())
            #expect(local.version.metadata.vector[local.version.metadata.editTimestamp.device] > 0)
            #expect(try session.values(entity: note, field: "tags") == ["n": #"["x","y"]"#])
            #expect(try await session.sync().entities[0].pushed == 1)
        }
    }

    @Test func whatTheGuestDeletedIsNotAdopted() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            let app = try device.start()
            let guest = await app.current
            try guest.put(entity: note, json: #"{"id":"n","title":"t"}"#)
            try guest.writer.delete(entity: note, key: RecordKey("n"))
            let signIn = try await app.signIn(Self.anna)
            #expect(signIn.adoption == counts())
            #expect(try signIn.session.local(entity: note, key: "n") == nil)
        }
    }

    /// What a person kept to this device, in the account or as a guest, is where the record is, or in the journal.
    @Test(arguments: MergeStrategy.allCases, [true, false])
    func whatIsKeptToTheDeviceStaysWhenAGuestIsAdopted(strategy: MergeStrategy, isSynced: Bool) async throws {
        let draft = FieldDescriptor(name: "draft", type: .string(), isLocalOnly: true)
        let note = Entities.note(strategy: strategy, fields: [draft])
        let position = try #require(note.layout.position(of: "draft"))
        for title in ["same", "other"] {
            for guest in [#","draft":"guest""#, ""] {
                try await adopt(
                    note,
                    account: [#"{"id":"n","title":"same","draft":"account"}"#],
                    guest: [#"{"id":"n","title":"\#(title)"\#(guest)}"#],
                    isSynced: isSynced
                ) { _, _, session in
                    let shown = try session.local(entity: note, key: "n")?.version.record.values[position]?
                        .string
                    let kept = try session.store.read { try $0.journal() }
                        .map { $0.lost.record.values[position]?.string }
                    let all = Set(kept + [shown])
                    #expect(all.contains("account"), "\(title) \(guest)")
                    #expect(guest.isEmpty || all.contains("guest"), "\(title) \(guest)")
                }
            }
        }
    }

    @Test func underLastWriteWinsTheLoserOfOneKeyGoesToTheJournal() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        for isSynced in [true, false] {
            try await adopt(
                note,
                account: [#"{"id":"n","title":"account"}"#],
                guest: [#"{"id":"n","title":"guest"}"#],
                isSynced: isSynced
            ) { _, report, session in
                #expect(report == counts(merged: 1))
                #expect(try session.values(entity: note) == ["n": "guest"])
                let entry = try #require(try session.store.read { try $0.journal() }.first)
                #expect(entry.lost.record.values[1] == .text("account"))
                #expect(try await session.sync().entities[0].pushed == 1)
                #expect(try session.local(entity: note, key: "n")?.state == .synced)
                _ = try session.writer.restore(journal: entry.id)
                #expect(try session.values(entity: note) == ["n": "account"])
            }
        }
    }

    @Test func underPreserveLocalOneKeyIsAConflictInWhichBothValuesAreReadable() async throws {
        let note = Entities.note(strategy: .preserveLocal)
        for isSynced in [true, false] {
            try await adopt(
                note,
                account: [#"{"id":"n","title":"account"}"#],
                guest: [#"{"id":"n","title":"guest"}"#],
                isSynced: isSynced
            ) { _, report, session in
                #expect(report == counts(merged: 1, conflicts: 1))
                #expect(try session.local(entity: note, key: "n")?.state == .conflict)
                #expect(try session.values(entity: note) == ["n": "guest"])
                let remote = try session.store.read {
                    try $0.side(entity: note, key: RecordKey("n"), kind: .remote)
                }
                #expect(remote?.record.values[1] == .text("account"))
                try await _ = session.sync()
                #expect(try session.local(entity: note, key: "n")?.state == .conflict)
                try session.writer.resolve(entity: note, key: RecordKey("n"), with: .local)
                try await _ = session.sync()
                #expect(try session.local(entity: note, key: "n")?.state == .synced)
                #expect(try session.values(entity: note) == ["n": "guest"])
            }
        }
    }

    @Test func underSetUnionOneKeyHasTheElementsOfBoth() async throws {
        let note = Entities.note(strategy: .setUnion, fields: [Entities.tags])
        for isSynced in [true, false] {
            try await adopt(
                note,
                account: [#"{"id":"n","title":"t","tags":["a","b"]}"#],
                guest: [#"{"id":"n","title":"t","tags":["b","c"]}"#],
                isSynced: isSynced
            ) { _, report, session in
                #expect(report == counts(merged: 1))
                #expect(try session.values(entity: note, field: "tags") == ["n": #"["a","b","c"]"#])
                try await _ = session.sync()
                #expect(try session.local(entity: note, key: "n")?.state == .synced)
            }
        }
    }

    @Test func theSameValueUnderOneKeyIsNoConflictAndNoLoss() async throws {
        for strategy in MergeStrategy.allCases {
            let note = Entities.note(strategy: strategy)
            try await adopt(
                note,
                account: [#"{"id":"n","title":"same"}"#],
                guest: [#"{"id":"n","title":"same"}"#]
            ) { _, report, session in
                #expect(report == counts(merged: 1))
                #expect(try session.store.read { try $0.journal() }.isEmpty)
                try await _ = session.sync()
                #expect(try session.local(entity: note, key: "n")?.state == .synced)
            }
        }
    }

    @Test func aRecordDeletedInTheAccountMeetsTheGuestsByTheStrategy() async throws {
        for (strategy, state) in [
            (MergeStrategy.preserveLocal, SyncState.conflict), (.lastWriteWins, .pending),
            (.setUnion, .pending),
        ] {
            let note = Entities.note(strategy: strategy)
            try await withDevice(entities: note) { device in
                device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
                let app = try device.start()
                let session = try await app.signIn(Self.anna).session
                try session.put(entity: note, json: #"{"id":"n","title":"t"}"#)
                try await _ = session.sync()
                try session.writer.delete(entity: note, key: RecordKey("n"))
                try await _ = session.sync()
                try await app.signOut(.keep)
                device.clock.advance(seconds: 60)
                try await app.current.put(entity: note, json: #"{"id":"n","title":"guest"}"#)
                let again = try await app.signIn(Self.anna).session
                #expect(try again.local(entity: note, key: "n")?.state == state, "\(strategy)")
                #expect(try again.values(entity: note) == ["n": "guest"], "\(strategy)")
            }
        }
    }

    @Test func aNaturalKeyThatTheAccountHasIsShownOnceUnderTheSmallerKey() async throws {
        let note = Entities.note(strategy: .lastWriteWins, unique: [["title"]])
        for (account, guest) in [("a", "b"), ("b", "a")] {
            try await adopt(
                note,
                account: [#"{"id":"\#(account)","title":"t","body":"account"}"#],
                guest: [#"{"id":"\#(guest)","title":"t","body":"guest"}"#]
            ) { _, report, session in
                #expect(report == counts(duplicates: 1))
                #expect(try session.values(entity: note).keys.sorted() == ["a"])
                try await _ = session.sync()
                try await _ = session.sync()
                #expect(try session.values(entity: note, field: "body") == ["a": "guest"])
                let lost = try session.store.read { try $0.journal() }.map(\.lost.record.values[2])
                #expect(lost == [.text("account")])
                #expect(
                    try session.store.read { try $0.unsent(entities: [note]) }.allSatisfy { $0.total == 0 }
                )
            }
        }
    }

    @Test func aNaturalKeyUnderPreserveLocalLosesNeitherValue() async throws {
        let note = Entities.note(strategy: .preserveLocal, unique: [["title"]])
        for (account, guest) in [("a", "b"), ("b", "a")] {
            try await adopt(
                note,
                account: [#"{"id":"\#(account)","title":"t","body":"account"}"#],
                guest: [#"{"id":"\#(guest)","title":"t","body":"guest"}"#]
            ) { _, report, session in
                #expect(report.entities[0].duplicates == 1)
                try await _ = session.sync()
                let stored = try session.store.read { snapshot in
                    try ["a", "b"].map { try snapshot.load(entity: note, key: RecordKey($0)) }
                }
                #expect(stored.allSatisfy { $0 != nil })
                let shown = try #require(stored.compactMap { $0 }.first { $0.visibility == .live })
                let merged = try #require(stored.compactMap { $0 }.first { $0.visibility == .deleted })
                #expect(merged.version.mergedInto == shown.version.key)
                // The record that the account has at the remote asks its person, who sees both values.
                #expect(shown.version.key == RecordKey(account) && shown.state == .conflict)
                #expect(shown.version.record.values[2] == .text("guest"))
                let remote = try session.store.read {
                    try $0.side(entity: note, key: shown.version.key, kind: .remote)
                }
                #expect(remote?.record.values[2] == .text("account"))
            }
        }
    }

    @Test func anOwnerThatDoesNotFitAdoptsNothing() async throws {
        let owner = FieldDescriptor(name: "owner", type: .string(minLength: 3))
        let note = Entities.note(strategy: .lastWriteWins, fields: [owner])
        for (fields, value) in [(["note": "owner"], FieldValue.text("x")), (["note": "id"], .text("anna"))] {
            try await withDevice(entities: note, ownerFields: fields) { device in
                device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
                let app = try device.start()
                try await app.current.put(entity: note, json: #"{"id":"n","title":"t"}"#)
                await #expect(throws: SyncError.self) { try await app.signIn(Self.anna, owner: value) }
                let guest = await app.current
                #expect(guest.id == .guest)
                try guest.put(entity: note, json: #"{"id":"m","title":"t"}"#)
                #expect(try guest.values(entity: note).count == 2)
                #expect(try await app.accounts().isEmpty)
                #expect(try device.folders().count == 1)
            }
        }
    }

    /// A form is open while its record is adopted: that the account owns it now is nobody's edit.
    @Test(arguments: [MergeStrategy.lastWriteWins, .preserveLocal, .setUnion])
    func aFormThatIsOpenWhileItsRecordIsAdoptedKeepsTheNewOwner(strategy: MergeStrategy) async throws {
        let owner = FieldDescriptor(name: "owner", type: .string())
        let note = Entities.note(strategy: strategy, fields: [owner])
        try await withDevice(entities: note, ownerFields: ["note": "owner"]) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            let app = try device.start()
            let guest = await app.current
            try guest.put(entity: note, json: #"{"id":"n","title":"t","owner":"guest"}"#)
            let base = try #require(try guest.local(entity: note, key: "n")?.version.record)
            let store = try guest.store.read { $0.storeID }
            let session = try await app.signIn(Self.anna).session
            var form = base
            form.values[1] = .text("of the form")
            device.clock.advance(seconds: 60)
            _ = try session.writer.write {
                try $0.save(entity: note, record: form, since: base, from: store)
            }
            let local = try #require(try session.local(entity: note, key: "n"))
            #expect(local.state == .pending)
            #expect(local.version.record.values[1] == .text("of the form"))
            #expect(local.version.record.values[3] == .text("anna"))
            #expect(try session.store.read { try $0.journal() }.isEmpty)
        }
    }

    @Test func guestRecordsCanBeAdoptedAgainAndAgain() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            let app = try device.start()
            for round in 1...3 {
                try await app.current.put(entity: note, json: #"{"id":"\#(round)","title":"t"}"#)
                let signIn = try await app.signIn(Self.anna)
                #expect(signIn.adoption == counts(moved: 1))
                #expect(try signIn.session.values(entity: note).count == round)
                try await app.signOut(.keep)
            }
        }
    }
}
