import SyncChecks
import SyncCore
import SyncRuntime
import TestSeeds
import Testing

/// People choose on each device whether the most recent edit wins or theirs is kept, whatever the schema says. Devices
/// with different choices come to the same records, or mark one in conflict, and no word is lost.
@Suite struct ChosenStrategyTests {
    /// The entity's schema, and what the persons of the devices A and B chose.
    struct Case: Sendable, CustomStringConvertible {
        var place: World.Place
        var strategy: MergeStrategy
        var granularity: MergeGranularity
        var choices: [Bool]

        var entity: EntityDescriptor { Entities.note(strategy: strategy, granularity: granularity) }
        var description: String { "\(place), \(strategy) by \(granularity), recent: \(choices)" }

        static let all = World.Place.allCases.flatMap { place in
            [MergeStrategy.lastWriteWins, .preserveLocal].flatMap { strategy in
                [MergeGranularity.record, .field].flatMap { granularity in
                    [[true, true], [true, false], [false, true], [false, false]].map {
                        Case(place: place, strategy: strategy, granularity: granularity, choices: $0)
                    }
                }
            }
        }
    }

    /// What a person does with the record; nil deletes it.
    private static let edits: [(first: String?, second: String?)] = [
        (#"{"id":"a","title":"word1"}"#, #"{"id":"a","title":"word2"}"#),
        (#"{"id":"a","title":"word1","body":"word3"}"#, #"{"id":"a","title":"word2"}"#),
        (#"{"id":"a","title":"word1"}"#, #"{"id":"a","title":"word2","body":"word3"}"#),
        (#"{"id":"a","title":"word1"}"#, #"{"id":"a","body":"word2"}"#),
        (#"{"id":"a","title":"word1"}"#, nil),
        (nil, #"{"id":"a","title":"word2"}"#),
        (nil, nil),
    ]

    @Test(arguments: Case.all)
    func devicesWithAnyChoicesComeToTheSameOrAskAndLoseNoWord(story: Case) async throws {
        for edits in Self.edits {
            // Whoever syncs first, and with copies of a folder both before either sees the other.
            for order in [[0, 1], [1, 0]] {
                try await withWorld(count: 2, entities: story.entity, place: story.place) { world in
                    try await play(edits, in: world, order: order, story: story)
                }
            }
        }
    }

    private func play(
        _ edits: (first: String?, second: String?),
        in world: World,
        order: [Int],
        story: Case
    ) async throws {
        let entity = story.entity
        for (device, isRecent) in zip(world.devices, story.choices) {
            device.prefersRecent.use { $0 = isRecent }
        }
        try world.devices[0].put(entity: entity, json: #"{"id":"a","title":"t","body":"b"}"#)
        try await world.converge()
        for (index, edit) in [edits.first, edits.second].enumerated() {
            for device in world.devices { device.clock.advance(seconds: 5) }
            if let edit {
                try world.devices[index].put(entity: entity, json: edit)
            } else {
                try world.devices[index].delete(entity: entity, key: "a")
            }
        }
        for index in order { try await world.sync(index) }
        try await world.converge(order: order)
        let comment: Comment = "\(story), \(edits), \(order)"
        #expect(try world.isSameOrAsks(entity), comment)
        let written = [edits.first, edits.second].compactMap { $0 }.joined()
        let found = try world.devices.map { try $0.words(entity) }.joined()
        for word in ["word1", "word2", "word3"] where written.contains(word) {
            #expect(found.contains(word), comment)
        }
        for (index, device) in world.devices.enumerated() where story.choices[index] {
            #expect(try device.conflicts(entity: entity).isEmpty, comment)
        }
        try await world.decideAll(entity)
        #expect(try world.isSame(entity), comment)
    }

    /// Three people who write, delete, sync, change their choices and decide, in any order.
    @Test(arguments: TestSeeds.cases(0..<8))
    func whateverPeopleChooseMeanwhileDevicesEndTheSame(seeds: TestSeeds) async throws {
        for seed in seeds {
            var draw = Seed(seed)
            let entity = Entities.note(
                strategy: Bool.random(using: &draw) ? .lastWriteWins : .preserveLocal,
                granularity: Bool.random(using: &draw) ? .record : .field
            )
            let place = World.Place.allCases.randomElement(using: &draw) ?? .folder
            try await withWorld(count: 3, entities: entity, place: place) { world in
                var lines = ["\(place), \(entity.strategy) by \(entity.granularity)"]
                var (words, given): (Set<String>, Set<String>) = ([], [])
                for step in 0..<24 {
                    let device = world.devices[Int.random(in: 0..<3, using: &draw)]
                    let before = try device.shownWords(entity)
                    let line = try await act(step, device: device, in: world, entity: entity, draw: &draw)
                    lines.append("\(device.name) \(line)")
                    let after = try device.shownWords(entity)
                    words.formUnion(after)
                    // Who writes over a word or deletes it has seen it.
                    if !line.hasSuffix("syncs") { given.formUnion(before.subtracting(after)) }
                }
                try await world.converge()
                let comment: Comment = "seed \(seed): \(lines.joined(separator: "\n"))"
                #expect(try world.isSameOrAsks(entity), comment)
                let found = try world.devices.map { try $0.words(entity) }.joined()
                for word in words.subtracting(given) { #expect(found.contains("\"\(word)\""), comment) }
                try await world.decideAll(entity)
                #expect(try world.isSame(entity), comment)
            }
        }
    }

    private func act(
        _ step: Int,
        device: World.Device,
        in world: World,
        entity: EntityDescriptor,
        draw: inout Seed
    ) async throws -> String {
        for device in world.devices { device.clock.advance(seconds: 1) }
        let key = Bool.random(using: &draw) ? "a" : "b"
        switch Int.random(in: 0..<10, using: &draw) {
        case 0:
            let choice: Bool? = [true, false, nil].randomElement(using: &draw) ?? nil
            device.prefersRecent.use { $0 = choice }
            return "chooses \(choice.map { $0 ? "recent" : "mine" } ?? "the schema")"
        case 1:
            guard try device.local(entity: entity, key: key)?.visibility == .live else { return "looks" }
            try device.delete(entity: entity, key: key)
            return "deletes \(key)"
        case 2...5:
            let field = Bool.random(using: &draw) ? "title" : "body"
            let isNew = try device.local(entity: entity, key: key)?.visibility != .live
            let rest = isNew && field == "body" ? #","title":"t""# : ""
            let json = #"{"id":"\#(key)","\#(field)":"word\#(step)"\#(rest)}"#
            try device.put(entity: entity, json: json)
            return "puts \(json)"
        default:
            try world.deliver()
            _ = try await device.engine(label: device.name).sync()
            return "syncs"
        }
    }

    @Test func theJournalNamesTheRuleThatDecided() async throws {
        let entity = Entities.note(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: entity) { world in
            let (first, second) = (world.devices[0], world.devices[1])
            try first.put(entity: entity, json: #"{"id":"a","title":"t"}"#)
            try await world.converge()
            try first.put(entity: entity, json: #"{"id":"a","title":"word1"}"#)
            second.clock.advance(seconds: 5)
            try second.put(entity: entity, json: #"{"id":"a","title":"word2"}"#)
            try await world.sync(0)
            second.prefersRecent.use { $0 = true }
            try await world.sync(1)
            let entries = try second.journal()
            #expect(entries.map(\.rule) == ["last-write-wins"])
            #expect(entries.first?.lost.record.values[1] == .text("word1"))
        }
    }

    @Test func aStaleSaveMeetsWhatCameSinceAsThePersonChose() async throws {
        let entity = Entities.note(strategy: .preserveLocal)
        try await withWorld(count: 1, entities: entity) { world in
            let device = world.devices[0]
            for (isRecent, state) in [(true, SyncState.pending), (false, .conflict), (nil, .conflict)] {
                let key = "\(isRecent.map { "\($0)" } ?? "schema")"
                try device.put(entity: entity, json: #"{"id":"\#(key)","title":"t"}"#)
                let base = try #require(try device.local(entity: entity, key: key)).version.record
                device.clock.advance(seconds: 5)
                try device.put(entity: entity, json: #"{"id":"\#(key)","title":"meanwhile"}"#)
                device.clock.advance(seconds: 5)
                device.prefersRecent.use { $0 = isRecent }
                var form = base
                form.values[1] = .text("form")
                let saved = form
                _ = try device.writer.write { try $0.save(entity: entity, record: saved, since: base) }
                #expect(try device.local(entity: entity, key: key)?.state == state)
                #expect(try device.value(entity: entity, key: key, field: "title") == .text("form"))
            }
            #expect(try device.journal().map(\.rule).first == "last-write-wins")
        }
    }

    /// What is stored, sent and compared says nothing of a choice.
    @Test func aCopyThatDecidesOtherwiseWritesTheSameBytes() throws {
        for strategy in [MergeStrategy.lastWriteWins, .preserveLocal] {
            let entity = Entities.note(strategy: strategy, granularity: .field, fields: Entities.rules)
            let choices = try #require(entity.choices)
            var record = Record(empty: entity)
            for (index, value) in ["a", "title", "body"].enumerated() { record.values[index] = .text(value) }
            let version = SyncRecord(
                entity: entity.name,
                key: RecordKey("a"),
                record: record,
                metadata: VersionMetadata(
                    first: EditTimestamp(
                        time: Timestamp(microseconds: 1),
                        device: DeviceID(bits: 7),
                        sequence: 1
                    )
                )
            )
            for copy in [choices.recent, choices.asking] {
                #expect(copy.bySchema == entity)
                #expect(copy.contentDigest(of: version) == entity.contentDigest(of: version))
                #expect(
                    EntryCodec.encode(version, descriptor: copy)
                        == EntryCodec.encode(version, descriptor: entity)
                )
                #expect(
                    EntityDescriptor.checksDigest(of: [copy]).description
                        == EntityDescriptor.checksDigest(of: [entity]).description
                )
            }
            #expect(choices.recent.strategy == .lastWriteWins)
            #expect(choices.asking.strategy == .preserveLocal)
        }
        #expect(Entities.note(strategy: .setUnion).choices == nil)
    }
}

extension World {
    /// Whether all devices export the same.
    fileprivate func isSame(_ entity: EntityDescriptor) throws -> Bool {
        Set(try devices.map { try $0.export(entity: entity) }).count == 1
    }

    /// The same, except for records that some device marks in conflict.
    fileprivate func isSameOrAsks(_ entity: EntityDescriptor) throws -> Bool {
        let asked = Set(try devices.flatMap { try $0.conflicts(entity: entity) })
        let shown = try devices.map { device in
            try device.export(entity: entity).filter { line in
                !asked.contains { line.contains("\"id\":\"\($0)\"") }
            }
        }
        return Set(shown).count == 1
    }

    /// People decide everything, each for what their device shows.
    fileprivate func decideAll(_ entity: EntityDescriptor) async throws {
        for round in 0..<6 {
            var isAsked = false
            for device in devices {
                for key in try device.conflicts(entity: entity) {
                    isAsked = true
                    try device.resolve(
                        entity: entity,
                        key: key,
                        resolution: round.isMultiple(of: 2) ? .remote : .local
                    )
                }
                try await converge()
            }
            if !isAsked { return }
        }
        Issue.record("people are asked for ever")
    }
}

extension World.Device {
    /// The words that its person sees in the records.
    fileprivate func shownWords(_ entity: EntityDescriptor) throws -> Set<String> {
        let parts = try export(entity: entity).flatMap { $0.split(separator: "\"").map(String.init) }
        return Set(parts.filter { $0.hasPrefix("word") })
    }

    /// All texts that a person can find of an entity: in records, the other sides of conflicts and the journal.
    fileprivate func words(_ entity: EntityDescriptor) throws -> String {
        let encoder = RecordEncoder(descriptor: entity, form: .plain)
        func text(_ version: SyncRecord?) -> String {
            version.map { String(decoding: encoder.bytes($0.record), as: UTF8.self) } ?? ""
        }
        var texts = try journal().map { text($0.lost) }
        for key in ["a", "b"] {
            texts.append(text(try local(entity: entity, key: key)?.version))
            texts.append(
                text(try store.read { try $0.side(entity: entity, key: RecordKey(key), kind: .remote) })
            )
        }
        return texts.joined(separator: "\n")
    }
}
