import EntitySync
import Foundation
import SyncAccounts
import SyncChecks
import SyncCore
import SyncRuntime
import Testing

@Suite struct AccountCrashTests {
    static let anna = AccountID("anna")
    static let ben = AccountID("ben")
    let note = Entities.note(strategy: .lastWriteWins)

    /// Anna's account holds `a`, ben's `b`, the guest's store `g`; anna's is left, and the guest is in use.
    private func prepare(_ device: AccountDevice) async throws {
        connect(device)
        let app = try device.start()
        for (id, key) in [(Self.anna, "a"), (Self.ben, "b")] {
            try await app.signIn(id, adopting: .nothing).session
                .put(entity: note, json: #"{"id":"\#(key)","title":"secret-\#(key)"}"#)
        }
        try await app.switchTo(.guest).put(entity: note, json: #"{"id":"g","title":"secret-g"}"#)
    }

    private func connect(_ device: AccountDevice) {
        for id in [Self.anna, Self.ben, AccountID("new")] {
            let remote = MemoryRemote(name: id.text ?? "", entities: [note])
            device.connect(id, to: MemoryBackend(remote))
        }
    }

    /// Strikes the operation at each of its steps, in each place, with and without the end of the process, and checks
    /// what is found afterwards. Returns the names of the steps.
    private func strikeEverywhere(
        from start: AccountID = .guest,
        _ operation: (AccountManager) async throws -> Void,
        check: (AccountDevice, AccountManager) async throws -> Void
    ) async throws -> [String] {
        var steps: [String] = []
        try await withDevice(entities: note) { template in
            try await prepare(template)
            for place in AccountFault.Place.allCases {
                for isLasting in [true, false] {
                    let more = try await strike(
                        template: template,
                        place: place,
                        isLasting: isLasting,
                        start: start,
                        operation: operation,
                        check: check
                    )
                    if more.count > steps.count { steps = more }
                }
            }
        }
        return steps
    }

    private func strike(
        template: AccountDevice,
        place: AccountFault.Place,
        isLasting: Bool,
        start: AccountID,
        operation: (AccountManager) async throws -> Void,
        check: (AccountDevice, AccountManager) async throws -> Void
    ) async throws -> [String] {
        var steps: [String] = []
        for step in 0... {
            var isOver = false
            try await withDevice(entities: note) { copy in
                try FileManager.default.copyItem(atPath: template.root, toPath: copy.root)
                // NB: another seed, as new folders would get the names of the old ones.
                let device = AccountDevice(root: copy.root, entities: [note], seed: 8)
                connect(device)
                let fault = AccountFault()
                var app: AccountManager? = try device.start(
                    storage: FaultyAccountFiles(device: device, fault: fault)
                )
                try await app?.switchTo(start)
                fault.strike(at: step, place: place, isLasting: isLasting)
                do { if let app { try await operation(app) } } catch is AccountFault.Struck {}
                isOver = !fault.hasStruck
                fault.disarm()
                if fault.steps.count > steps.count { steps = fault.steps }
                if isLasting { app = nil }
                let next = try app ?? device.start()
                // Any operation brings everything into line, as a start does.
                try await _ = next.accounts()
                try await wholeAndApart(device: device, app: next)
                try await check(device, next)
            }
            #expect(step > 0 || !isOver)
            if isOver { break }
        }
        return steps
    }

    /// No folder that is nobody's, each value in one store at most, and a session that takes writes.
    private func wholeAndApart(device: AccountDevice, app: AccountManager) async throws {
        let index = String(decoding: try #require(try device.files.readIndex()), as: UTF8.self)
        #expect(index.contains(#""doomed":[]"#))
        let folders = try device.folders()
        for folder in folders { #expect(index.contains(folder)) }
        let stores = try folders.map { try device.store(folder: $0).values(entity: note) }
        for key in ["a", "b", "g"] {
            let holders = stores.filter { $0[key] != nil }
            #expect(holders.count <= 1, "\(key) is in \(holders.count) stores")
            let isTraced = try device.holds("secret-\(key)")
            #expect(isTraced == (holders.count == 1), "\(key)")
        }
        let current = await app.current
        try current.put(entity: note, json: #"{"id":"probe","title":"t"}"#)
        try current.writer.delete(entity: note, key: RecordKey("probe"))
    }

    @Test func aSignInThatAdoptsIsDoneWholeOrNotAtAll() async throws {
        for id in [Self.anna, AccountID("new")] {
            let steps = try await strikeEverywhere {
                try await $0.signIn(id)
            } check: { _, app async throws in
                if await app.current.id == .guest {
                    #expect(try await app.current.values(entity: note) == ["g": "secret-g"])
                    #expect(try await app.accounts().contains(id) == (id == Self.anna))
                }
                // Trying again ends with the record there once, and the guest empty.
                let session = try await app.signIn(id).session
                #expect(try session.values(entity: note)["g"] == "secret-g")
                #expect(try session.values(entity: note)["a"] == (id == Self.anna ? "secret-a" : nil))
                #expect(try session.local(entity: note, key: "g")?.state == .pending)
                #expect(try await session.sync().outcome == .synced)
                #expect(
                    try session.store.read { try $0.unsent(entities: [note]) } == [
                        UnsentCounts(entity: "note")
                    ]
                )
                #expect(try await app.switchTo(.guest).values(entity: note).isEmpty)
            }
            #expect(steps.suffix(7) == ["index", "commit", "commit", "commit", "index", "remove", "index"])
        }
    }

    @Test func aSwitchIsDoneWholeOrNotAtAll() async throws {
        let steps = try await strikeEverywhere(from: Self.anna) {
            try await $0.switchTo(Self.ben)
        } check: { _, app async throws in
            #expect(await [Self.anna, Self.ben].contains(app.current.id))
            #expect(try await app.switchTo(Self.anna).values(entity: note) == ["a": "secret-a"])
            #expect(try await app.switchTo(Self.ben).values(entity: note) == ["b": "secret-b"])
            #expect(try await app.switchTo(.guest).values(entity: note) == ["g": "secret-g"])
        }
        #expect(steps == ["open", "commit", "index"])
    }

    @Test func aSignOutIsDoneWholeOrNotAtAll() async throws {
        for mode in [SignOutMode.keep, .discard] {
            let steps = try await strikeEverywhere(from: Self.anna) {
                try await $0.signOut(mode)
            } check: { device, app async throws in
                if try await app.accounts().contains(Self.anna) {
                    #expect(try await app.switchTo(Self.anna).values(entity: note) == ["a": "secret-a"])
                } else {
                    #expect(mode == .discard)
                    #expect(await app.current.id == .guest)
                    #expect(try !device.holds("secret-a"))
                }
                #expect(try await app.switchTo(.guest).values(entity: note) == ["g": "secret-g"])
            }
            let end = mode == .keep ? [] : ["remove", "index"]
            #expect(steps == ["open", "commit", "index"] + end)
        }
    }

    @Test func aSignOutThatRequiresSyncedIsDoneWholeOrNotAtAll() async throws {
        _ = try await strikeEverywhere(from: Self.anna) { app in
            // NB: the sync writes, too, and is struck like the rest.
            let session = await app.current
            do { try await _ = session.sync() } catch is SyncError { throw AccountFault.Struck() }
            try await app.signOut(.requireSynced)
        } check: { device, app async throws in
            if try await app.accounts().contains(Self.anna) {
                #expect(try await app.switchTo(Self.anna).values(entity: note) == ["a": "secret-a"])
            } else {
                #expect(try !device.holds("secret-a"))
            }
        }
    }

    @Test func aWipeIsDoneWholeOrNotAtAll() async throws {
        for start in [Self.anna, .guest] {
            _ = try await strikeEverywhere(from: start) {
                try await $0.wipe(Self.anna)
            } check: { device, app async throws in
                if try await app.accounts().contains(Self.anna) {
                    #expect(try await app.switchTo(Self.anna).values(entity: note) == ["a": "secret-a"])
                    try await app.wipe(Self.anna)
                }
                #expect(try !device.holds("secret-a"))
                #expect(try await app.switchTo(Self.ben).values(entity: note) == ["b": "secret-b"])
            }
        }
    }

    @Test func aPreviewThatFailsLeavesNothingBehind() async throws {
        _ = try await strikeEverywhere {
            try await _ = $0.adoptionPreview(id: AccountID("new"))
        } check: { device, app async throws in
            #expect(await app.current.id == .guest)
            #expect(try await app.current.values(entity: note) == ["g": "secret-g"])
            #expect(try device.folders().count == 3)
        }
    }

    @Test func theFirstStartCanBeInterruptedAnywhere() async throws {
        for place in AccountFault.Place.allCases {
            for step in 0... {
                var isOver = false
                try await withDevice(entities: note) { device in
                    let fault = AccountFault()
                    fault.strike(at: step, place: place, isLasting: true)
                    _ = try? device.start(storage: FaultyAccountFiles(device: device, fault: fault))
                    isOver = !fault.hasStruck
                    try await device.start().current.put(entity: note, json: #"{"id":"n","title":"t"}"#)
                    #expect(try device.folders().count == 1)
                    #expect(try await device.start().current.values(entity: note) == ["n": "t"])
                }
                if isOver { break }
            }
        }
    }
}
