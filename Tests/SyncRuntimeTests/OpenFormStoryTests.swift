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

    private static let texts = ["title", "body", "motto"]

    /// A form on a device: the record as it was read, and its version.
    private struct Form {
        let device: Int
        let values: [String: String]
        let tags: [String]
        let version: String
    }

    /// One random story.
    private struct Story {
        let world: World
        let entity: EntityDescriptor
        var random: SeededRandom
        var forms: [Form] = []
        /// Words that nobody has knowingly replaced.
        var words: Set<String> = []
        var told: [String] = []
        var count = 0

        init(world: World, entity: EntityDescriptor, seed: UInt64) {
            (self.world, self.entity, random) = (world, entity, SeededRandom(seed))
        }

        mutating func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

        mutating func word() -> String {
            count += 1
            words.insert("w\(count)")
            return "w\(count)"
        }

        mutating func step() async throws {
            let index = pick(world.devices.count)
            let device = world.devices[index]
            device.clock.advance(seconds: Int64(1 + pick(50)))
            switch pick(8) {
            case 0, 1: try open(on: index)
            case 2, 3: try edit(on: index)
            case 4, 5: try save()
            case 6 where pick(3) == 0:
                guard let seen = try shown(on: index) else { return }
                told.append("\(index) deletes")
                words.subtract(seen.values.values)
                words.subtract(seen.tags)
                try device.delete(entity: entity, key: "n")
            default:
                told.append("\(index) syncs")
                try await world.sync(index)
                try world.deliver()
            }
        }

        /// What a device shows; nil if nothing.
        func shown(on index: Int) throws -> Form? {
            try world.devices[index].store.read { snapshot in
                guard let local = try snapshot.load(entity: entity, key: RecordKey("n")),
                    local.visibility == .live
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
            let word = word()
            told.append("\(index) writes \(field): \(word)")
            if let former = seen?.values[field] { words.remove(former) }
            var title = ""
            if seen == nil, field != "title" { title = #","title":"\#(self.word())""# }
            _ = try world.devices[index].put(
                entity: entity,
                json: #"{"id":"n","\#(field)":"\#(word)"\#(title)}"#
            )
        }

        /// A form is saved whole, with changes in some fields.
        private mutating func save() throws {
            guard !forms.isEmpty else { return }
            let form = forms.remove(at: pick(forms.count))
            var values = form.values
            for field in OpenFormStoryTests.texts where pick(3) == 0 {
                if let former = values[field] { words.remove(former) }
                values[field] = word()
            }
            var tags = form.tags
            if pick(3) == 0 { tags.append(word()) }
            if pick(4) == 0, let gone = tags.first {
                tags.removeFirst()
                words.remove(gone)
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

        /// Words that a person can find: in a record, on either side of a conflict, or in a journal.
        func found() throws -> Set<String> {
            var found: Set<String> = []
            for device in world.devices {
                let versions = try device.store.read { snapshot in
                    [
                        try snapshot.load(entity: entity, key: RecordKey("n")).flatMap {
                            $0.visibility == .live ? $0.version : nil
                        },
                        try snapshot.side(entity: entity, key: RecordKey("n"), kind: .remote),
                    ].compactMap { $0 } + (try snapshot.journal().map(\.lost))
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

    @Test(arguments: MergeStrategy.allCases, [MergeGranularity.record, .field])
    func noWordOfAFormOrOfThoseWhoWroteMeanwhileIsLost(strategy: MergeStrategy, granularity: MergeGranularity)
        async throws
    {
        let entity = Self.note(strategy, granularity)
        for place in World.Place.allCases {
            for seed in UInt64(1)...20 {
                try await withWorld(count: 2, entities: entity, place: place) { world in
                    var story = Story(world: world, entity: entity, seed: seed)
                    for _ in 0..<20 { try await story.step() }
                    let before = try story.words.subtracting(story.found())
                    #expect(
                        before.isEmpty,
                        "\(place) seed \(seed) before: \(story.told.joined(separator: "\n"))"
                    )
                    try await world.converge()
                    let lost = try story.words.subtracting(story.found())
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
