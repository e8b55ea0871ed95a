import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Random stories in which people hold forms open, by JSON with the version that was read. The oracle knows only who
/// wrote which word, and what they saw when they did.
@Suite struct OpenFormStoryTests {
    private static func note(_ strategy: MergeStrategy, _ granularity: MergeGranularity) -> EntityDescriptor {
        Entities.note(
            strategy: strategy,
            granularity: granularity,
            fields: [Entities.tags, FieldDescriptor(name: "motto", type: .string(), merge: .preserveLocal)]
        )
    }

    /// The last ones have once shown a loss that no earlier one shows.
    private static let seeds = Array(UInt64(1)...15) + [135, 166]

    private static let texts = ["title", "body", "motto"]

    /// A form on a device: the record as it was read, and its version.
    private struct Form {
        let device: Int
        let values: [String: String]
        let tags: [String]
        let version: String

        var words: Set<String> { Set(values.values).union(tags) }
    }

    /// One random story.
    private struct Story {
        let world: World
        let entity: EntityDescriptor
        var random: SeededRandom
        var forms: [Form] = []
        /// Words that nobody has knowingly replaced.
        var words: Set<String> = []
        /// Words of others that somebody has knowingly deleted with the record: to be found if it comes back.
        var deleted: Set<String> = []
        var authors: [String: Int] = [:]
        var told: [String] = []
        var count = 0

        init(world: World, entity: EntityDescriptor, seed: UInt64) {
            (self.world, self.entity, random) = (world, entity, SeededRandom(seed))
        }

        mutating func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

        mutating func word(by author: Int) -> String {
            count += 1
            words.insert("w\(count)")
            authors["w\(count)"] = author
            return "w\(count)"
        }

        mutating func step() async throws {
            let index = pick(world.devices.count)
            let device = world.devices[index]
            device.clock.advance(seconds: Int64(1 + pick(50)))
            switch pick(10) {
            case 0, 1: try open(on: index)
            case 2, 3: try edit(on: index)
            case 4, 5: if !forms.isEmpty { try save(form: pick(forms.count)) }
            case 6 where pick(2) == 0: try delete(on: index)
            case 7: try await scene()
            default: try await sync(index)
            }
        }

        private mutating func delete(on index: Int) throws {
            guard let seen = try shown(on: index) else { return }
            told.append("\(index) deletes")
            let gone = words.intersection(seen.words)
            words.subtract(gone)
            deleted.formUnion(gone.filter { authors[$0] != index })
            try world.devices[index].delete(entity: entity, key: "n")
        }

        /// A form is open; somebody writes, somebody deletes, the form is saved. Any part may be missing.
        private mutating func scene() async throws {
            let (holder, writer, deleter) = (
                pick(world.devices.count), pick(world.devices.count), pick(world.devices.count)
            )
            try open(on: holder)
            if pick(5) > 0 { try edit(on: writer) }
            if pick(5) > 0 { try await sync(writer) }
            if pick(5) > 0 { try await sync(deleter) }
            if pick(5) > 0 { try delete(on: deleter) }
            if pick(5) > 0 { try await sync(deleter) }
            if pick(5) > 0 { try await sync(holder) }
            world.devices[holder].clock.advance(seconds: Int64(pick(200)))
            if let form = forms.lastIndex(where: { $0.device == holder }) { try save(form: form) }
        }

        private mutating func sync(_ index: Int) async throws {
            told.append("\(index) syncs")
            try await world.sync(index)
            try world.deliver()
        }

        /// Everybody has the record, and reads it.
        mutating func begin() async throws {
            try edit(on: 0)
            for index in world.devices.indices {
                try await sync(index)
                try open(on: index)
            }
        }

        /// What a device shows; nil if nothing.
        func shown(on index: Int) throws -> Form? { try known(on: index, visibility: .live) }

        /// What a device holds in a state of the record; nil if it is in another one.
        func known(on index: Int, visibility: LocalRecord.Visibility) throws -> Form? {
            try world.devices[index].store.read { snapshot in
                guard let local = try snapshot.load(entity: entity, key: RecordKey("n")),
                    local.visibility == visibility
                else {
                    return nil
                }
                let record = local.version.record
                var values: [String: String] = [:]
                for field in OpenFormStoryTests.texts {
                    values[field] = entity.layout.position(of: field).flatMap { record.values[$0]?.string }
                }
                let tags = SetElements.read(
                    value: entity.layout.position(of: "tags").flatMap { record.values[$0] }
                )
                return Form(
                    device: index,
                    values: values,
                    tags: tags.map { String($0.text.dropFirst().dropLast()) },
                    version: RecordVersion(store: snapshot.storeID, record: record, entity: entity).text
                )
            }
        }

        private mutating func open(on index: Int) throws {
            guard let form = try shown(on: index) else { return }
            told.append("\(index) opens \(form.values) \(form.tags)")
            forms.append(form)
        }

        /// A program that reads and writes in one breath.
        private mutating func edit(on index: Int) throws {
            let field = OpenFormStoryTests.texts[pick(3)]
            let seen = try shown(on: index)
            if seen == nil, pick(3) > 0 { return }
            let word = word(by: index)
            told.append("\(index) writes \(field): \(word)")
            if let former = seen?.values[field] { replace(former) }
            // A record that this device shows as deleted is made anew.
            if let former = try known(on: index, visibility: .deleted) {
                former.words.forEach { replace($0) }
            }
            var title = ""
            if seen == nil, field != "title" { title = #","title":"\#(self.word(by: index))""# }
            _ = try world.devices[index].put(
                entity: entity,
                json: #"{"id":"n","\#(field)":"\#(word)"\#(title)}"#
            )
        }

        /// A form is saved whole, with changes in some fields.
        private mutating func save(form place: Int) throws {
            let form = forms.remove(at: place)
            var values = form.values
            for field in OpenFormStoryTests.texts where pick(3) == 0 {
                if let former = values[field] { replace(former) }
                values[field] = word(by: form.device)
            }
            var tags = form.tags
            if pick(3) == 0 { tags.append(word(by: form.device)) }
            if pick(4) == 0, let gone = tags.first {
                tags.removeFirst()
                replace(gone)
            }
            told.append("\(form.device) saves \(values) \(tags)")
            let members = values.sorted { $0.key < $1.key }.map { #""\#($0.key)":"\#($0.value)""# }
            let list = tags.map { #""\#($0)""# }.joined(separator: ",")
            _ = try world.devices[form.device].put(
                entity: entity,
                json:
                    #"{"id":"n",\#(members.joined(separator: ",")),"tags":[\#(list)],"$version":"\#(form.version)"}"#
            )
        }

        private mutating func replace(_ word: String) {
            words.remove(word)
            deleted.remove(word)
        }

        /// Words that nobody gave up, and those that came back with the record.
        func owed() throws -> Set<String> {
            let lives = try world.devices.indices.contains { try shown(on: $0) != nil }
            return lives ? words.union(deleted) : words
        }

        /// Words that a person can find: in a record, on either side of a conflict, or in a journal, which shows nothing of
        /// a deleted record.
        func found() throws -> Set<String> {
            var found: Set<String> = []
            for device in world.devices {
                let versions = try device.store.read { snapshot in
                    [
                        try snapshot.load(entity: entity, key: RecordKey("n")).flatMap {
                            $0.visibility == .live || $0.state == .conflict ? $0.version : nil
                        },
                        try snapshot.side(entity: entity, key: RecordKey("n"), kind: .remote),
                    ].compactMap { $0 } + (try snapshot.journal().map(\.lost).filter { !$0.isDeleted })
                }
                for value in versions.flatMap({ $0.record.values }) {
                    switch value {
                    case .text(let text)?: found.insert(text)
                    case .json?:
                        found.formUnion(
                            SetElements.read(value: value).map { String($0.text.dropFirst().dropLast()) }
                        )
                    default: continue
                    }
                }
            }
            return found
        }
    }

    @Test func aWordThatLosesBesideAConflictIsInTheJournal() async throws {
        let entity = Self.note(.lastWriteWins, .field)
        try await withWorld(count: 2, entities: entity, place: .server) { world in
            let story = Story(world: world, entity: entity, seed: 0)
            _ = try world.devices[0].put(entity: entity, json: #"{"id":"n","title":"w1"}"#)
            for index in [0, 1] { try await world.sync(index) }
            let form = try #require(try story.shown(on: 0))
            // By its clock, the other device writes later.
            world.devices[1].clock.advance(seconds: 3600)
            _ = try world.devices[1].put(entity: entity, json: #"{"id":"n","body":"w2","motto":"w3"}"#)
            for index in [1, 0] { try await world.sync(index) }
            _ = try world.devices[0].put(
                entity: entity,
                json: #"{"id":"n","title":"w1","body":"w4","motto":"w5","$version":"\#(form.version)"}"#
            )
            #expect(try story.found().isSuperset(of: ["w1", "w2", "w3", "w4", "w5"]))
        }
    }

    @Test(arguments: MergeStrategy.allCases, [MergeGranularity.record, .field])
    func noWordOfAFormOrOfThoseWhoWroteMeanwhileIsLost(strategy: MergeStrategy, granularity: MergeGranularity)
        async throws
    {
        let entity = Self.note(strategy, granularity)
        for place in World.Place.allCases {
            for seed in Self.seeds {
                try await withWorld(count: 2 + Int(seed % 2), entities: entity, place: place) { world in
                    var story = Story(world: world, entity: entity, seed: seed)
                    try await story.begin()
                    for _ in 0..<25 { try await story.step() }
                    let before = try story.words.subtracting(story.found())
                    #expect(
                        before.isEmpty,
                        "\(place) seed \(seed) before: \(story.told.joined(separator: "\n"))"
                    )
                    try await world.converge()
                    let lost = try story.owed().subtracting(story.found())
                    #expect(
                        lost.isEmpty,
                        "\(place) seed \(seed) lost \(lost):\n\(story.told.joined(separator: "\n"))"
                    )
                    #expect(
                        Set(
                            try world.devices.map {
                                try $0.store.read { try $0.counts(entity: entity).rejected }
                            }
                        ) == [0]
                    )
                }
            }
        }
    }
}
