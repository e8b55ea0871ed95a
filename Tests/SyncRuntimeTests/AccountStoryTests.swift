import EntitySync
import SyncAccounts
import SyncChecks
import SyncCore
import SyncRuntime
import TestSeeds
import Testing

/// Random stories of a device with a guest, two accounts, forms that stay open, and updates of the app. Each word that a person
/// wrote, and took away only where it was seen, is in some file of the device or comes from the remote.
@Suite struct AccountStoryTests {
    @Test(arguments: TestSeeds.cases(0..<60))
    func eachWordIsFoundWhateverBecomesOfTheAccounts(seeds: TestSeeds) async throws {
        for seed in seeds {
            try await withFolder { path in
                let story = AccountStory(path: path, seed: seed)
                try await story.play(steps: 30)
                let lost = try await story.lostWords()
                #expect(lost.isEmpty, "seed \(seed)\n\(story.lines.joined(separator: "\n"))")
            }
        }
    }
}

/// One story: what happens, and which words must be found.
private final class AccountStory {
    private let path: String
    private var random: Seed
    private let entities: [[EntityDescriptor]]
    private let remotes: [AccountID: MemoryRemote]
    private var device: AccountDevice
    private var app: AccountManager?
    private var starts: UInt64 = 0
    private var version = 0
    /// The words that must be found, each with the account and the key where it was written.
    private var words: [String: (id: AccountID, key: String)] = [:]
    /// Forms that were opened, with what they show.
    private var forms: [(id: AccountID, read: Record)] = []
    private(set) var lines: [String] = []

    init(path: String, seed: UInt64) {
        self.path = path
        random = Seed(seed)
        let strategy = MergeStrategy.allCases[Int(seed % UInt64(MergeStrategy.allCases.count))]
        let loose = Entities.note(strategy: strategy)
        let rating = FieldDescriptor(name: "rating", type: .integer(), isRequired: true)
        entities = [
            [loose, Entities.memo], [loose],
            [Entities.note(strategy: strategy, fields: [rating]), Entities.memo],
        ]
        let accounts = ["anna", "ben"].map { AccountID($0) }
        remotes = Dictionary(
            uniqueKeysWithValues: accounts.map { id in
                (id, MemoryRemote(name: id.text ?? "", entities: [loose, Entities.memo]))
            }
        )
        device = AccountDevice(root: "\(path)/accounts", entities: [loose, Entities.memo])
    }

    func play(steps: Int) async throws {
        try start()
        for _ in 0..<steps {
            do { try await step() } catch let error as SyncError {
                lines.append("  refused: \(error.message)")
            } catch let error as UnsentRecords {
                lines.append("  refused: \(error.total) unsent")
            }
        }
    }

    /// Words that neither the device nor a new one with the same accounts has.
    func lostWords() async throws -> [String] {
        app = nil
        let fresh = connected(AccountDevice(root: "\(path)/fresh", entities: entities[0], seed: 99))
        let other = try fresh.start()
        for id in remotes.keys { try await _ = other.signIn(id, adopting: .nothing).session.sync() }
        return try words.keys.sorted().filter { try !device.holds($0) && !fresh.holds($0) }
    }

    private func connected(_ device: AccountDevice) -> AccountDevice {
        for (id, remote) in remotes { device.connect(id, to: MemoryBackend(remote)) }
        return device
    }

    private func start() throws {
        starts += 1
        app = nil
        device = connected(
            AccountDevice(root: "\(path)/accounts", entities: entities[version], seed: 7 + starts)
        )
        device.clock.advance(seconds: Int64(starts) * 100_000)
        app = try device.start()
        forms = []
    }

    private func step() async throws {
        guard let app else { return }
        let session = await app.current
        device.clock.advance(seconds: 1)
        let word = "word\(lines.count)x"
        let id = session.id
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<4: try write(word, in: session)
        case 4: try openForm(in: session)
        case 5, 6: try saveForm(word, in: session)
        case 7: try delete(in: session)
        case 8 where version != 1:
            lines.append("\(id) writes the memo \(word)")
            let memo = entities[version].first { $0.name == "memo" }
            try memo.map { try session.put(entity: $0, json: #"{"id":"\#(word)"}"#) }
            words[word] = (id, word)
        case 9 where !id.isGuest:
            lines.append("\(id) syncs")
            try await _ = session.sync()
        case 10, 11: try await signIn(app, adopting: .guestRecords)
        case 12: try await signIn(app, adopting: .nothing)
        case 13: try await signOut(app, session)
        case 14:
            version = Int.random(in: 0..<entities.count, using: &random)
            lines.append("the app is updated to version \(version)")
            try start()
        default:
            lines.append("the app starts again")
            try start()
        }
    }

    private var note: EntityDescriptor { entities[version][0] }

    private func shown(_ session: AccountSession) throws -> [LocalRecord] {
        var found: [LocalRecord] = []
        try session.store.read { snapshot in
            try snapshot.scan(entity: note, includeHidden: false) { found.append($0) }
        }
        return found
    }

    /// Takes the words away that a person sees and replaces.
    private func see(_ record: LocalRecord, in session: AccountSession) {
        let title = record.version.record.values[1]?.string ?? ""
        words[title] = nil
    }

    private func write(_ word: String, in session: AccountSession) throws {
        let key = "k\(Int.random(in: 0..<3, using: &random))"
        lines.append("\(session.id) writes \(word) in \(key)")
        let present = try shown(session).first { $0.version.key.text == key }
        let rating = version == 2 ? #","rating":1"# : ""
        // What is set aside is not shown, so the person has not seen it.
        try session.put(entity: note, json: #"{"id":"\#(key)","title":"\#(word)"\#(rating)}"#)
        if let present { see(present, in: session) }
        words[word] = (session.id, key)
    }

    private func openForm(in session: AccountSession) throws {
        guard let record = try shown(session).randomElement(using: &random) else { return }
        lines.append("\(session.id) opens a form of \(record.version.key)")
        forms.append((session.id, record.version.record))
    }

    private func saveForm(_ word: String, in session: AccountSession) throws {
        guard let form = forms.filter({ $0.id == session.id }).randomElement(using: &random) else { return }
        guard let key = note.key(of: form.read) else { return }
        lines.append("\(session.id) saves \(word) in the form of \(key)")
        var record = form.read
        record.values[1] = .text(word)
        let edited = record
        let seen = form.read.values[1]?.string ?? ""
        _ = try session.writer.write { try $0.save(entity: note, record: edited, since: form.read) }
        words[seen] = nil
        words[word] = (session.id, key.text)
    }

    private func delete(in session: AccountSession) throws {
        guard let record = try shown(session).randomElement(using: &random) else { return }
        lines.append("\(session.id) deletes \(record.version.key)")
        // In a conflict, the person sees both sides; the journal keeps what they give up.
        try session.writer.delete(entity: note, key: record.version.key)
        see(record, in: session)
    }

    private func signIn(_ app: AccountManager, adopting: GuestAdoption) async throws {
        guard
            let id = remotes.keys.sorted(by: { ($0.text ?? "") < ($1.text ?? "") })
                .randomElement(using: &random)
        else { return }
        lines.append("\(id) signs in, and adopts \(adopting)")
        try await app.signIn(id, adopting: adopting)
    }

    private func signOut(_ app: AccountManager, _ session: AccountSession) async throws {
        let mode = Bool.random(using: &random) ? SignOutMode.keep : .requireSynced
        lines.append("\(session.id) signs out: \(mode)")
        let journal = try session.store.read { try $0.journal() }.compactMap {
            $0.lost.record.values[1]?.string
        }
        try await app.signOut(mode)
        // Documented: the journal goes with the account's store.
        if mode == .requireSynced { for word in journal { words[word] = nil } }
    }
}
