import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import SyncStore
import TestSeeds
import Testing

/// Stories of several programs on one store at once, such as an app, its widget and an extension, which are updated one after
/// the other, while another device writes the same records. Each word that a person wrote, and took away only where it was
/// seen, is found on a device.
@Suite struct SharedStoreStoryTests {
    @Test(arguments: TestSeeds.cases(0..<24))
    func eachWordIsFoundWhicheverProgramWroteIt(seeds: TestSeeds) async throws {
        for seed in seeds {
            try await withFolder { path in
                let story = SharedStoreStory(path: path, seed: seed)
                try await story.play()
                let lost = try await story.lostWords()
                #expect(lost.isEmpty, "seed \(seed)\n\(story.lines().joined(separator: "\n"))")
            }
        }
    }
}

/// One story. Its programs run at the same time, so that a seed gives what each of them does, but not in which order.
private final class SharedStoreStory: Sendable {
    private struct Notes {
        var words: Set<String> = []
        /// The words that somebody saw and took away. Who wrote one may note it later.
        var seen: Set<String> = []
        var lines: [String] = []
    }

    private let path: String
    private let seed: UInt64
    private let remote: MemoryRemote
    private let versions: [[EntityDescriptor]]
    private let clock = ManualClock()
    private let notes = Guarded(Notes())

    init(path: String, seed: UInt64) {
        (self.path, self.seed) = (path, seed)
        let strategy = MergeStrategy.allCases[Int(seed % UInt64(MergeStrategy.allCases.count))]
        let granularity: MergeGranularity = seed % 2 == 0 || strategy == .setUnion ? .record : .field
        let note = Entities.note(strategy: strategy, granularity: granularity)
        let rating = FieldDescriptor(name: "rating", type: .integer())
        let rated = Entities.note(strategy: strategy, granularity: granularity, fields: [rating])
        versions = [[note], [rated], [rated, Entities.memo]]
        remote = MemoryRemote(entities: [rated, Entities.memo])
    }

    func lines() -> [String] { notes.use { $0.lines } }

    func play() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for program in 0..<4 {
                // The last one is on a device of its own.
                group.addTask { try await self.run(program: program, on: program < 3 ? "phone" : "tablet") }
            }
            try await group.waitForAll()
        }
    }

    func lostWords() async throws -> [String] {
        let stores = try ["phone", "tablet"].map {
            try open($0, version: 2, random: SeededRandom(seed &+ 90))
        }
        for round in 0..<4 {
            try await sync(stores[round % 2], label: "end", random: SeededRandom(seed &+ 91))
        }
        for store in stores { store.close() }
        return try notes.use { $0.words.subtracting($0.seen) }.sorted().filter { try !holds($0) }
    }

    /// Whether any file of a device holds a text. What is deleted is overwritten in it.
    private func holds(_ text: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: path).contains { name in
            FileManager.default.contents(atPath: "\(path)/\(name)")?.range(of: Data(text.utf8)) != nil
        }
    }

    private func open(_ name: String, version: Int, random: SeededRandom) throws -> SQLiteStore {
        try SQLiteStore.open(path: "\(path)/\(name)", entities: versions[version], random: random)
    }

    private func sync(_ store: SQLiteStore, label: String, random: SeededRandom) async throws {
        let environment = SyncEnvironment(clock: clock, random: random, label: label)
        _ = try await SyncEngine(store: store, backend: MemoryBackend(remote), environment: environment)
            .sync()
    }

    /// One program from its start to its end.
    private func run(program: Int, on device: String) async throws {
        var seeds = Seed(seed &* 31 &+ UInt64(program))
        let random = SeededRandom(seed &* 77 &+ UInt64(program))
        var version = Int.random(in: 0..<versions.count, using: &seeds)
        var store: SQLiteStore?
        var form: Record?
        for step in 0..<30 {
            clock.advance(seconds: 1)
            let word = "word-\(program)-\(step)-"
            let key = "k\(Int.random(in: 0..<3, using: &seeds))"
            let kind = Int.random(in: 0..<12, using: &seeds)
            do {
                let present = try store ?? open(device, version: version, random: random)
                store = present
                let note = versions[version][0]
                let writer = LocalWriter(store: present, clock: clock, random: random)
                switch kind {
                case 0, 1: try insert(word, as: "\(program)-\(step)", note: note, by: writer)
                case 2...4: try edit(word, key: key, note: note, by: writer)
                case 5:
                    form = try present.read { try $0.load(entity: note, key: RecordKey(key)) }
                        .flatMap { $0.version.isDeleted ? nil : $0.version.record }
                case 6, 7:
                    guard let read = form, read.values.count == note.fields.count else { continue }
                    form = nil
                    try save(word, in: read, note: note, by: writer)
                case 8: try delete(key: key, note: note, by: writer)
                case 9: try await sync(present, label: "p\(program)", random: random)
                case 10:
                    version = Int.random(in: 0..<versions.count, using: &seeds)
                    present.close()
                    (store, form) = (nil, nil)
                default: await Task.yield()
                }
                log("\(program) v\(version) \(kind) \(key) \(word)")
            } catch let error as SyncError {
                log("\(program) v\(version) \(kind) \(key) \(word) refused: \(error.kind) \(error.message)")
                if error.message.contains("damaged") { throw error }
                // Another version of the app has the store now: this one starts again.
                store?.close()
                (store, form) = (nil, nil)
            }
        }
        store?.close()
    }

    private func log(_ line: String) { notes.use { $0.lines.append(line) } }

    /// A person wrote a word in place of those that they saw.
    private func wrote(_ word: String?, over seen: [String]) {
        notes.use { notes in
            notes.seen.formUnion(seen)
            if let word { notes.words.insert(word) }
        }
    }

    private func title(_ record: Record?) -> [String] { [record?.values[1]?.string].compactMap { $0 } }

    private func record(_ key: String, _ word: String) -> [UInt8] {
        Array(#"{"id":"\#(key)","title":"\#(word)"}"#.utf8)
    }

    private func insert(_ word: String, as key: String, note: EntityDescriptor, by writer: LocalWriter) throws
    {
        _ = try writer.put(entity: note, json: record(key, word))
        wrote(word, over: [])
    }

    /// Reads a record and writes it again, in one transaction; makes it if it is not there.
    private func edit(_ word: String, key: String, note: EntityDescriptor, by writer: LocalWriter) throws {
        let seen = try writer.write { session in
            let present = try session.transaction.load(entity: note, key: RecordKey(key))
            _ = try session.put(entity: note, json: record(key, word))
            return present?.version.isDeleted == false ? title(present?.version.record) : []
        }
        wrote(word, over: seen)
    }

    /// Saves a form that was opened some time ago.
    private func save(_ word: String, in form: Record, note: EntityDescriptor, by writer: LocalWriter) throws
    {
        var edited = form
        edited.values[1] = .text(word)
        let record = edited
        _ = try writer.write { try $0.save(entity: note, record: record, since: form) }
        wrote(word, over: title(form))
    }

    private func delete(key: String, note: EntityDescriptor, by writer: LocalWriter) throws {
        let seen: [String] = try writer.write { session in
            guard let present = try session.transaction.load(entity: note, key: RecordKey(key)),
                !present.version.isDeleted
            else { return [] }
            try session.delete(entity: note, key: RecordKey(key))
            return title(present.version.record)
        }
        wrote(nil, over: seen)
    }
}
