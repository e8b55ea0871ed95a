import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncEntities
import Testing

@Suite struct GeneratedModelTests {
    @Test func everythingThatASchemaCanSayKeepsItsValues() throws {
        let texts = ["code": ["AB", "ABCDEFGH-1234"], "longPattern": ["kilo"]]
        try AdapterSuite(adapter: KitchenSinkAdapter(), texts: texts).check(seeds: 0..<3)
        try AdapterSuite(adapter: DynamicAdapter(KitchenSinkAdapter.descriptor), texts: texts).check(
            seeds: 0..<3
        )
        try AdapterSuite(adapter: SinkOwnerAdapter()).check(seeds: 0..<2)
    }

    @Test func initialisersGiveTheDefaultsOfTheSchema() throws {
        let sink = try sample()
        #expect(sink.text == "café \\(1) \"x\"")
        #expect(sink.count == 7 && sink.ratio == 0.1 && sink.isOpen && sink.isOld == nil)
        #expect(sink.reference?.rawValue == UUID(uuidString: "379066e4-6dd5-4050-8470-004e08da28bd"))
        #expect(sink.link == URL(string: "https://example.org"))
        #expect(sink.mirrors == [URL(string: "urn:a"), nil])
        #expect(Timestamp(sink.startsAt) == Timestamp(microseconds: -1))
        #expect(sink.birthday.description == "2024-02-29")
        #expect(sink.price == Decimal(string: "0.1") && sink.photo == Data([1, 2, 3]))
        #expect(sink.state == .inProgress && sink.mood == .bad && sink.level == .minus3)
        #expect(sink.places.map(\.name) == ["here"] && sink.places[0].height == nil)
        #expect(sink.maybes == [Decimal(string: "1.5"), nil])
        #expect(sink.home.owner?.class == nil && !sink.pinned && sink.draft == nil)
        #expect(KitchenSink.Owner(cost: 1).class == "\"first\"\n")
    }

    @Test func newRecordsAreWrittenWithTheirDefaultsAndWithoutTimes() throws {
        let record = try sample().record()
        let fields = KitchenSinkAdapter.descriptor.fields
        for name in ["ratio", "isOpen", "reference", "birthday", "price", "mood", "endsAt"] {
            #expect(record.values[fields.firstIndex { $0.name == name } ?? 0] != nil, "\(name)")
        }
        for name in ["createdAt", "isOld", "german"] {
            #expect(record.values[fields.firstIndex { $0.name == name } ?? 0] == nil, "\(name)")
        }
    }

    @Test func aFieldThatWasAbsentStaysAbsentUntilItIsChanged() throws {
        var bookmark = try bookmark(json: #"{"id":"379066e4-6dd5-4050-8470-004e08da28bd"}"#)
        #expect(bookmark.notes == nil && bookmark.tags == [])
        bookmark.notes = nil
        bookmark.tags = []
        #expect(
            try text(bookmark: bookmark) == text(bookmark: try self.bookmark(json: text(bookmark: bookmark)))
        )
        #expect(try !text(bookmark: bookmark).contains("notes") && !text(bookmark: bookmark).contains("tags"))
        bookmark.notes = "a"
        bookmark.notes = nil
        bookmark.tags.append("b")
        bookmark.tags.removeAll()
        #expect(try text(bookmark: bookmark).contains(#""notes":null"#))
        #expect(try text(bookmark: bookmark).contains(#""tags":[]"#))
    }

    @Test func aModelThatWasSavedEqualsTheOneThatIsLoaded() throws {
        var bookmark = try bookmark(json: #"{"id":"379066e4-6dd5-4050-8470-004e08da28bd"}"#)
        bookmark.notes = "changed"
        bookmark.tags = ["a"]
        let loaded = try BookmarkAdapter().model(try BookmarkAdapter().record(bookmark))
        #expect(loaded == bookmark)
    }

    @Test func fieldsNamedLikeTheObserversValueAreTracked() throws {
        var sink = try KitchenSinkAdapter().model(try sample().record())
        sink.unknownFields = UnknownFields(members: [], absentFields: ["oldValue"])
        sink.oldValue = "x"
        #expect(!sink.unknownFields.isAbsent("oldValue"))
    }

    @Test func setsAreWrittenSortedAndEachElementOnce() throws {
        var bookmark = try bookmark(json: #"{"id":"379066e4-6dd5-4050-8470-004e08da28bd"}"#)
        bookmark.tags = ["b", "a", "e\u{301}", "b", "\u{e9}"]
        #expect(try text(bookmark: bookmark).contains("\"tags\":[\"a\",\"b\",\"e\u{301}\",\"\u{e9}\"]"))
        #expect(try BookmarkDTO(bookmark).tags?.map { Array($0.utf8).count } == [1, 1, 3, 2])
    }

    @Test func keysAreSpelledAsTheStoreSpellsThem() throws {
        let sink = try sample()
        let record = try sink.record()
        #expect(KitchenSink.recordKey(sink.id) == KitchenSinkAdapter.descriptor.key(of: record))
        let owner = SinkOwner()
        #expect(SinkOwner.recordKey(owner.id) == SinkOwnerAdapter.descriptor.key(of: try owner.record()))
        let status = ReadStatus(link: "https://example.org/\u{e9}", isRead: true)
        #expect(status.id == status.link)
        #expect(ReadStatus.recordKey(status.id) == ReadStatusAdapter.descriptor.key(of: try status.record()))
    }

    @Test func keysOfTheEntitysOwnTypeAndURLsTravelAsTheirText() throws {
        let id = SinkOwner.ID()
        #expect(SinkOwner.ID(rawValue: id.rawValue) == id && "\(id)" == id.rawValue.uuidString.lowercased())
        let alone = try JSONEncoder().encode([id])
        #expect(try JSONDecoder().decode([UUID].self, from: alone) == [id.rawValue])
        #expect(try JSONDecoder().decode([SinkOwner.ID].self, from: alone) == [id])
        var sink = try sample()
        sink.link = try #require(URL(string: "https://example.org/%C3%A9?a=b#c"))
        (sink.mirrors, sink.reference, sink.owners) = ([sink.link, nil], id, [id, SinkOwner().id])
        let dto = try KitchenSinkDTO(sink)
        let text = try id.rawValue.wireText()
        #expect(dto.link == "https://example.org/%C3%A9?a=b#c" && dto.mirrors == [dto.link, nil])
        #expect(dto.reference == text && dto.owners?.first == text && dto.owners?.count == 2)
        #expect(try KitchenSink(dto) == sink)
        let json = try JSONEncoder().encode(SinkOwner(uuid: id))
        #expect(String(decoding: json, as: UTF8.self) == "{\"uuid\":\"\(text)\"}")
    }

    @Test func aURLThatIsNoURIIsRefusedWithItsField() throws {
        var sink = try sample()
        sink.link = URL(fileURLWithPath: "/a b")
        #expect(try KitchenSinkDTO(sink).link == "file:///a%20b")
        sink.link = try #require(URL(string: "a/b"))
        let json = RecordEncoder(descriptor: KitchenSinkAdapter.descriptor, form: .plain).bytes(
            try sink.record()
        )
        var decoder = RecordDecoder(descriptor: KitchenSinkAdapter.descriptor, form: .plain)
        decoder.requiresAll = false
        let error = #expect(throws: FieldError.self) { try decoder.record(json) }
        #expect(error?.field == "link")
    }

    @Test func whateverIsAURIIsAURLOfTheSameText() throws {
        var random = Seed(7)
        let pieces = [
            "a", "Z", "0", ":", "//", "/", "?", "#", "[::1]", "@", "%41", "%", "-", ".", "_", "~", ";",
        ]
        var decoder = RecordDecoder(descriptor: KitchenSinkAdapter.descriptor, form: .plain)
        decoder.requiresAll = false
        var count = 0
        for _ in 0..<20_000 {
            let length = Int.random(in: 1...9, using: &random)
            let text = (0..<length).reduce("a:") { text, _ in
                text + (pieces.randomElement(using: &random) ?? "")
            }
            guard (try? decoder.record(Array("{\"link\":\"\(text)\"}".utf8))) != nil else { continue }
            count += 1
            #expect(URL(wireText: text)?.absoluteString == text)
        }
        #expect(count > 2_000)
    }

    @Test func aLinkThatAnOlderAppWroteIsReadAsTheURIThatItStandsFor() throws {
        var dto = try KitchenSinkDTO(try sample())
        dto.link = "https://example.org/\u{e9}?q=[a]"
        #expect(try KitchenSink(dto).link.absoluteString == "https://example.org/%C3%A9?q=%5Ba%5D")
    }

    @Test func newRecordsHaveDifferentKeys() {
        #expect(SinkOwner().id != SinkOwner().id)
    }

    @Test func valuesThatCannotBeKeptAreRefusedWithTheirField() throws {
        var sink = try sample()
        sink.ratio = .nan
        #expect(
            throws: FieldError(
                field: "ratio",
                rule: "number-range",
                message: "'ratio' must be a finite number."
            )
        ) {
            try sink.record()
        }
        sink.ratio = 0
        sink.places[0].owner = KitchenSink.Owner(cost: .nan)
        let error = #expect(throws: FieldError.self) { try sink.record() }
        #expect(error?.field == "places[0].owner.cost")
        #expect(error?.message == "'places[0].owner.cost' must be a decimal number of at most 38 digits.")
    }

    @Test func aRowWithoutARequiredFieldIsNoModel() throws {
        var record = try sample().record()
        record.values[KitchenSinkAdapter.descriptor.layout.key[0]] = nil
        #expect(throws: FieldError(field: "account", rule: "required", message: "'account' is required.")) {
            try KitchenSinkAdapter().model(record)
        }
    }

    @Test func anOrderedListWithUniqueItemsKeepsItsOrderAndRefusesRepeats() throws {
        var sink = try sample()
        sink.stops = ["z", "b", "a"]
        let back = try KitchenSinkAdapter().model(try sink.record())
        #expect(back.stops == ["z", "b", "a"])
        sink.createdAt = Date(timeIntervalSince1970: 1)
        let dto = try KitchenSinkDTO(json: try KitchenSinkDTO(sink).json())
        #expect(dto.stops == ["z", "b", "a"])
        let json = #"{"account":"a","stops":["z","a","z"]}"#
        var decoder = RecordDecoder(descriptor: KitchenSinkAdapter.descriptor, form: .plain)
        let message = "'stops[2]' is in the list already."
        #expect(throws: FieldError(field: "stops[2]", rule: "unique-items", message: message)) {
            try decoder.record(Array(json.utf8))
        }
    }

    @Test func anEnumOfIntegersIsANumberInRowsAndOnTheWire() throws {
        var sink = try sample()
        sink.createdAt = Date(timeIntervalSince1970: 1)
        sink.level = .unknown(12)
        sink.ranks = [.value3, .value1, .unknown(-2)]
        let dto = try KitchenSinkDTO(sink)
        #expect(dto.level == 12 && dto.ranks == [-2, 1, 3])
        let wire = String(decoding: try dto.json(), as: UTF8.self)
        #expect(wire.contains(#""level":12,"#) && wire.contains(#""ranks":[-2,1,3]"#))
        let read = try KitchenSink(KitchenSinkDTO(json: Array(wire.utf8)))
        #expect(read.level == .unknown(12) && read.ranks == [.unknown(-2), .value1, .value3])
        sink.level = nil
        #expect(try KitchenSinkDTO(sink).level == nil)
        let text = wire.replacing(#""level":12"#, with: #""level":"12""#)
        #expect(throws: FieldError.self) { try KitchenSinkDTO(json: Array(text.utf8)) }
    }

    @Test func aMapWithTwoNamesThatSwiftTakesForOneIsNoModel() throws {
        var record = try KitchenSink.adapter.record(sample())
        let field = try #require(KitchenSink.adapter.descriptor.layout.position(of: "scores"))
        record.values[field] = .json("{\"caf\u{e9}\":1,\"cafe\u{301}\":2}")
        #expect(throws: FieldError.self) { try KitchenSink.adapter.model(record, store: .none) }
    }

    @Test func objectsOfAnyFormAndMapsKeepWhatTheyHold() throws {
        var sink = try sample()
        #expect(sink.scores == [:] && sink.times == ["a": nil, "b": Date(timeIntervalSince1970: 0)])
        #expect(sink.anything?.unknownFields["b"] == "[1,null]" && sink.extra == nil && sink.words == nil)
        sink.createdAt = Date(timeIntervalSince1970: 1)
        let members = [
            UnknownField(path: "z", json: "1.50"), UnknownField(path: "/a", json: #"{"y":1,"x":[ ]}"#),
        ]
        sink.extra = KitchenSink.Extra(unknownFields: UnknownFields(members: members))
        sink.scores = ["b": 2, "": 0, "a": 1]
        sink.words = ["é": .no, "e": .unknown("perhaps")]
        let wire = String(decoding: try KitchenSinkDTO(sink).json(), as: UTF8.self)
        #expect(wire.contains(#""extra":{"/a":{"y":1,"x":[]},"z":1.50}"#))
        #expect(wire.contains(#""scores":{"":0,"a":1,"b":2}"#))
        #expect(wire.contains(#""words":{"e":"perhaps","é":"no"}"#))
        let read = try KitchenSink(KitchenSinkDTO(json: Array(wire.utf8)))
        #expect(read.scores == sink.scores && read.words == sink.words && read.times == sink.times)
        #expect(read.extra?.unknownFields["z"] == "1.50")
        sink.scores["c"] = -1
        let error = #expect(throws: FieldError.self) { try KitchenSinkDTO(sink).json() }
        #expect(error?.message == "'scores.c' must be at least 0.")
    }

    private func sample() throws -> KitchenSink {
        KitchenSink(
            account: "a\"b",
            number: -5,
            day: try #require(CalendarDate("1969-12-31")),
            device: UUID(),
            home: KitchenSink.Place(name: "home"),
            moods: [.up]
        )
    }

    private func bookmark(json: String) throws -> Bookmark {
        var decoder = RecordDecoder(descriptor: BookmarkAdapter.descriptor, form: .plain)
        decoder.requiresAll = false
        var record = try decoder.record(Array(json.utf8))
        for (index, field) in BookmarkAdapter.descriptor.fields.enumerated()
        where field.isRequired && record.values[index] == nil {
            switch field.type {
            case .integer: record.values[index] = .integer(1)
            case .dateTime: record.values[index] = .timestamp(Timestamp(microseconds: 1))
            default: record.values[index] = .text("x")
            }
        }
        return try BookmarkAdapter().model(record)
    }

    private func text(bookmark: Bookmark) throws -> String {
        let record = try BookmarkAdapter().record(bookmark)
        return String(
            decoding: RecordEncoder(descriptor: BookmarkAdapter.descriptor, form: .plain).bytes(
                record
            ),
            as: UTF8.self
        )
    }
}
