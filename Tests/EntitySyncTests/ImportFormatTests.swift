import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import TestSeeds
import Testing

/// Records of arrays and tables, and what becomes of those that do not fit.
@Suite struct ImportFormatTests {
    let scratch: Scratch
    let space: SyncSpace

    init() throws {
        scratch = try Scratch()
        space = try Self.open(scratch, name: "a")
    }

    static func open(_ scratch: Scratch, name: String) throws -> SyncSpace {
        try SyncSpace.open(
            SpaceConfiguration(
                folder: scratch.path + "/" + name,
                entities: Stage.entities + [Recipe.self],
                environment: SpaceEnvironment(clock: ManualClock(), random: SeededRandom(7))
            )
        )
    }

    private var file: URL { scratch.file("in") }
    private var rejects: URL { scratch.file("rejects") }

    @Test(arguments: TestSeeds.cases(0..<6))
    func whatIsExportedComesBackFromAnArrayAndATableAndWhatDoesNotFitIsSetAside(_ seeds: TestSeeds) throws {
        for seed in seeds {
            let scratch = try Scratch()
            var trial = FormatTrial(scratch: scratch, seed: seed)
            try trial.play(Recipe.self)
            try trial.play(Transaction.self)
            try trial.play(Project.self)
            try trial.play(Bookmark.self)
        }
    }

    @Test func aTableIsReadByTheTypesOfItsFields() throws {
        try """
        \u{FEFF}id, title ,level,care,cookMinutes,restMinutes,tags,source\r
        a,"He said ""no"",\r
        twice",easy,,10,,"[""x"",""y""]","{""name"":""Ann"",""page"":3}"\r

         b ,,hard,"much", 20 ,-5,,
        """.write(to: file)
        #expect(try recipes.importRecords(from: file, as: .csv) == 2)
        let read = try recipes.all()
        #expect(read.map(\.id) == [" b ", "a"])
        #expect(read[1].title == "He said \"no\",\r\ntwice")
        #expect(read[1].care == nil)
        #expect(read[1].tags == ["x", "y"])
        #expect(read[1].source?.page == 3)
        #expect(read[0].title == "", "the field is a text that must be there")
        #expect(read[0].care == .much)
        #expect(read[0].cookMinutes == 20)
        #expect(read[0].restMinutes == -5)
        #expect(read[0].tags == nil)
    }

    @Test func decimalsAndDatesOfATableAreExact() throws {
        try """
        id,ownerId,amount,currency,date,payee
        0A0A0A0A-0000-4000-8000-000000000001,ada,12345678901234567.89,EUR,2024-02-29,""
        0a0a0a0a-0000-4000-8000-000000000002,ada,"1,5",EUR,2024-02-29,
        0a0a0a0a-0000-4000-8000-000000000003,ada,1,EUR,29.2.2024,
        """.write(to: file)
        let counts = try space.transactions.importRecords(from: file, as: .csv, rejects: rejects)
        #expect(counts == (1, 2))
        let record = try #require(try space.transactions.all().first)
        #expect(record.amount == Decimal(string: "12345678901234567.89"))
        #expect(record.date == CalendarDate("2024-02-29"))
        #expect(record.payee == "", "empty quotation marks are empty text")
        let lines = try rejects.text.split(separator: "\n")
        #expect(lines[0] == "$rejected,id,ownerId,amount,currency,date,payee")
        #expect(lines[1].hasPrefix("\"line 3: 'amount' "))
        #expect(lines[1].hasSuffix(#"",0a0a0a0a-0000-4000-8000-000000000002,ada,"1,5",EUR,2024-02-29,"#))
        #expect(lines[2].hasPrefix("\"line 4: 'date' "))
    }

    @Test func aColumnThatIsNoFieldIsNamedWithTheNearestOne() throws {
        for (header, part) in [
            ("id,titel,level", "Did you mean 'title'?"), ("id,title;level", "commas separate columns"),
            ("id,title,id", "Column 3 has the name of one before it."),
        ] {
            try (header + "\na,b,easy\n").write(to: file)
            let error = #expect(throws: SyncError.self) {
                try recipes.importRecords(from: file, as: .csv, rejects: rejects)
            }
            let told = (error?.message ?? "") + (error?.help ?? "")
            #expect(told.contains(part), "\(header)")
        }
        #expect(try recipes.count == 0)
        #expect(!FileManager.default.fileExists(atPath: rejects.path))
    }

    @Test func aFileThatIsCutOffIsRefusedAsAWhole() throws {
        let row = #"{"id":"a","title":"b","level":"easy","cookMinutes":1}"#
        for text in ["[\(row)", "[\(row),", "[\(row),]", row, "[\(row)] x", "[,\(row)]", ""] {
            try text.write(to: file)
            #expect(throws: SyncError.self, "\(text)") {
                try recipes.importRecords(from: file, as: .array, rejects: rejects)
            }
        }
        try "id,title,level,cookMinutes\na,b,easy,1\nb,\"c,easy,1\n".write(to: file)
        let error = #expect(throws: SyncError.self) {
            try recipes.importRecords(from: file, as: .csv, rejects: rejects)
        }
        #expect(error?.message.contains("line 3") == true)
        #expect(try recipes.count == 0)
        #expect(try scratch.names == ["a", "in"])
    }

    @Test(arguments: ImportFormat.allCases)
    func whatIsSetAsideIsMendedAndImportedAgain(format: ImportFormat) throws {
        let texts: [ImportFormat: String] = [
            .lines: """
            {"id":"a","title":"one","level":"easy","cookMinutes":1}
            {"id":"b","title":"two","level":"easy","cookMinutes":-7}
            {"id":"a","title":"three","level":"easy","cookMinutes":3}
            7
            """,
            .array: """
            [ {"id":"a","title":"one","level":"easy","cookMinutes":1},
              {"id":"b",
               "title":"two","level":"easy","cookMinutes":-7} ,{"id":"a","title":"three","level":"easy","cookMinutes":3}
            , 7 ]
            """,
            .csv: """
            id,title,level,cookMinutes
            a,one,easy,1
            b,two,easy,-7
            a,three,easy,3
            7
            """,
        ]
        try (texts[format] ?? "").write(to: file)
        var (imported, rejected) = try recipes.importRecords(from: file, as: format, rejects: rejects)
        #expect((imported, rejected) == (1, 3))
        let first = try rejects.text
        // Refused again, it is what it was, but for the lines.
        (imported, rejected) = try recipes.importRecords(from: rejects, as: format, rejects: rejects)
        #expect((imported, rejected) == (1, 2), "the key of the third record is taken no more")
        #expect(try recipes.find("a")?.title == "three")
        #expect(try rejects.text.components(separatedBy: "$rejected").count == (format == .csv ? 2 : 3))
        #expect(try first.contains("-7") && rejects.text.contains("-7"))
        let last = format == .csv ? #"cells, and the first row has 5.",7"# : #""$record":7"#
        #expect(try rejects.text.contains(last))
        let mended = try rejects.text.replacing("-7", with: "7")
        try mended.write(to: rejects)
        (imported, rejected) = try recipes.importRecords(from: rejects, as: format, rejects: rejects)
        #expect((imported, rejected) == (1, 1))
        #expect(try recipes.find("b")?.cookMinutes == 7)
    }

    @Test func nothingIsSetAsideWhereNothingIsImported() throws {
        struct GivenUp: Error {}
        try "".write(to: rejects)
        try "[]\n7\n".write(to: file)
        #expect(throws: GivenUp.self) {
            try recipes.importRecords(from: file, rejects: rejects) { _ in throw GivenUp() }
        }
        #expect(try scratch.names == ["a", "in", "rejects"])
    }

    /// What an earlier import has refused may stand nowhere else.
    @Test func noFileIsReplacedByRejectsButTheImportedOne() throws {
        try "earlier".write(to: rejects)
        try "{\"id\":\"a\",\"title\":\"one\",\"level\":\"easy\",\"cookMinutes\":1}\n7\n".write(to: file)
        let error = #expect(throws: SyncError.self) {
            try recipes.importRecords(from: file, rejects: rejects)
        }
        #expect(error?.kind == .usage)
        #expect(try rejects.text == "earlier")
        #expect(try recipes.count == 0)
        let beside = scratch.file("a/store.sqlite-wal")
        #expect(throws: SyncError.self) { try recipes.importRecords(from: file, rejects: beside) }
        // Nor are files that only stand where a part of the work would.
        let notes = scratch.file("notes")
        try "mine".write(to: scratch.file("notes.partial"))
        #expect(try recipes.importRecords(from: file, rejects: notes) == (1, 1))
        #expect(try scratch.file("notes.partial").text == "mine")
    }

    /// The records are in the store, and the others must not be lost.
    @Test func rejectsThatCannotGetTheirNameAreKeptUnderAnotherOne() throws {
        try "{\"id\":\"a\",\"title\":\"one\",\"level\":\"easy\",\"cookMinutes\":1}\nnonsense\n".write(
            to: file
        )
        let error = #expect(throws: SyncError.self) {
            try recipes.importRecords(from: file, rejects: rejects) { _ in
                try FileManager.default.createDirectory(at: rejects, withIntermediateDirectories: true)
            }
        }
        #expect(error?.message.contains("rejects.partial") == true)
        #expect(try recipes.count == 1)
        let text = try scratch.file("rejects.partial").text
        #expect(text.contains(#""$record":"nonsense""#))
    }

    /// Members that an import reads for itself are a record's own where nobody has written them for it.
    @Test func anExportWithMembersOfTheirNamesComesBackAsItWas() throws {
        let members = ["$deleted", "$version", "$rejected", "$record", "$$deleted", "$other"]
        var record = try Recipe.adapter.record(Recipe(id: "a", title: "one", level: .easy, cookMinutes: 1))
        record.unknown = members.sorted().map { UnknownField(path: $0, json: "true") }
        var encoder = RecordLineEncoder(Recipe.adapter.descriptor)
        var decoder = RecordLineDecoder(Recipe.adapter.descriptor, fillsIn: false)
        let line = encoder.bytes(RecordLine(record: record, isDeleted: false))
        let read = try line.withUnsafeBufferPointer { try decoder.line($0) }
        #expect(read.record == record && !read.isDeleted)
    }

    @Test(arguments: ImportFormat.allCases)
    func anImportThatIsGivenUpLeavesItsFileAsItWasAlsoIfThatIsTheOneOfRejects(format: ImportFormat) throws {
        struct GivenUp: Error {}
        let texts: [ImportFormat: String] = [
            .lines: "{\"id\":\"a\",\"title\":\"one\",\"level\":\"easy\",\"cookMinutes\":1}\n7\n",
            .array: "[{\"id\":\"a\",\"title\":\"one\",\"level\":\"easy\",\"cookMinutes\":1},7]",
            .csv: "id,title,level,cookMinutes\na,one,easy,1\n7\n",
        ]
        let text = try #require(texts[format])
        try text.write(to: file)
        #expect(throws: GivenUp.self) {
            try recipes.importRecords(from: file, as: format, rejects: file) { _ in throw GivenUp() }
        }
        #expect(try file.text == text)
        #expect(try recipes.count == 0)
        #expect(try recipes.importRecords(from: file, as: format, rejects: file) == (1, 1))
        #expect(try recipes.count == 1 && !file.text.contains("one"))
    }

    /// However long the array is, the reader holds some elements of it.
    @Test func anArrayIsReadInPieces() throws {
        let element =
            #"{"id":"a","title":"[a], {b} and \"c\"","level":"easy","cookMinutes":1},"#
        let source = RepeatedSource(head: "[", body: element, tail: element.dropLast() + "]", count: 20_000)
        var lines = RecordLines(entity: Recipe.adapter.descriptor, fillsIn: true)
        try lines.read(source, as: .array)
        #expect(lines.findingCount == 20_000, "each but the first has a key that was there")
        #expect(lines.findings.first?.line == 1)
        #expect(lines.findings.first?.column == 2 + element.utf8.count)
        #expect(source.mostHeld < 600_000)
    }

    private var recipes: SyncCollection<Recipe> { space.collection(Recipe.self) }
}

/// A long text that is made while it is read.
private final class RepeatedSource: LineSource {
    private var parts: [String]
    private var count: Int
    private let tail: String
    /// The most bytes that the reader had when it asked for more.
    private(set) var mostHeld = 0

    init(head: String, body: String, tail: some StringProtocol, count: Int) {
        (parts, self.tail, self.count) = ([head, body], String(tail), count)
    }

    var totalBytes: Int64? { nil }

    func read(into bytes: inout [UInt8], count most: Int) throws -> Int {
        mostHeld = max(mostHeld, bytes.count)
        let before = bytes.count
        while bytes.count - before < most / 2 {
            if parts.count == 2 {
                bytes += parts.removeFirst().utf8
            } else if count > 0 {
                bytes += parts[0].utf8
                count -= 1
            } else if !parts.isEmpty {
                parts = []
                bytes += tail.utf8
            } else {
                break
            }
        }
        return bytes.count - before
    }

    func lineTooLong(number: Int, maxBytes: Int) -> SyncError { .storeFailed(detail: "line \(number)") }
}

/// Random records that go out and come back, with others among them that do not fit.
private struct FormatTrial {
    let scratch: Scratch
    var seed: Seed
    private let number: UInt64

    init(scratch: Scratch, seed: UInt64) {
        (self.scratch, self.seed, number) = (scratch, Seed(seed), seed)
    }

    mutating func play<Entity: SyncEntity>(_ type: Entity.Type) throws {
        let entity = Entity.adapter.descriptor
        let (file, rejects) = (scratch.file("in"), scratch.file("rejects"))
        let encoder = RecordEncoder(descriptor: entity, form: .plain)
        let generator = RecordGenerator(entity)
        var text: [UInt8] = []
        for number in 1...12 {
            var record = generator.record(number: number, seed: &seed)
            record.unknown = []
            // A cell cannot tell null from nothing.
            for (index, field) in entity.fields.enumerated()
            where field.isNullable && record.values[index] == nil {
                record.values[index] = .null
            }
            text += encoder.bytes(record) + [0x0A]
        }
        try Data(text).write(to: file)
        let origin = try ImportFormatTests.open(scratch, name: "\(entity.name)-origin").collection(type)
        try "".write(to: rejects)
        _ = try origin.importRecords(from: file, rejects: rejects)
        let exported = try scratch.export(origin)
        let lines = exported.split(separator: "\n").map(String.init)
        #expect(!lines.isEmpty)
        for format in [ImportFormat.array, .csv] {
            let (text, bad) = try written(lines, as: format, entity: entity)
            try text.write(to: file)
            let name = "\(entity.name)-\(format.rawValue)"
            let copy = try ImportFormatTests.open(scratch, name: name).collection(type)
            try "".write(to: rejects)
            let counts = try copy.importRecords(from: file, as: format, rejects: rejects)
            #expect(counts == (lines.count, bad.count), "seed \(number), \(name)")
            #expect(try scratch.export(copy) == exported, "seed \(number), \(name)")
            let set = try rejects.text
            for (line, part) in bad {
                let place = format == .csv ? "\"line \(line): " : #"{"$rejected":{"line":\#(line),"#
                #expect(set.contains(place), "seed \(number), \(name), line \(line)")
                #expect(
                    set.contains(part.dropFirst(part.hasPrefix("{") ? 1 : 0)),
                    "seed \(number), \(name), line \(line)"
                )
            }
        }
    }

    /// The records in a format, and among them some that do not fit, with their lines.
    private mutating func written(
        _ lines: [String],
        as format: ImportFormat,
        entity: EntityDescriptor
    ) throws -> (text: String, bad: [(line: Int, part: String)]) {
        var bad: [(line: Int, part: String)] = []
        var text = format == .array ? "[" : entity.fields.map(\.name).joined(separator: ",") + "\r\n"
        var parts = format == .array ? lines : try lines.map { try row($0, entity: entity) }
        let copy = parts[0]
        for index in parts.indices.reversed() where Bool.random(using: &seed) {
            let kinds =
                format == .array ? ["7", "{\"a\":}", "[1,\n2]", "{}x"] : ["x", "\(copy),x", "a\"b,\(copy)"]
            parts.insert(kinds.randomElement(using: &seed) ?? "", at: index + 1)
        }
        let good = Set(format == .array ? lines : try lines.map { try row($0, entity: entity) })
        for (index, part) in parts.enumerated() {
            text +=
                format == .array
                ? (index > 0 ? "," : "") + ["", " ", "\n", "\r\n\t"].randomElement(using: &seed)! : ""
            let isBad = !good.contains(part)
            if isBad { bad.append((text.utf8.count { $0 == 0x0A } + 1, part)) }
            text += part + (format == .array ? "" : ["\n", "\r\n", "\n\n"].randomElement(using: &seed)!)
        }
        return (text + (format == .array ? "]\n" : ""), bad)
    }

    /// A record as a row of cells, written by other code than what reads it.
    private func row(_ line: String, entity: EntityDescriptor) throws -> String {
        var cells: [String: String] = [:]
        var line = line
        try line.withUTF8 { buffer in
            var reader = try JSONReader(buffer)
            guard try reader.beginObject() else { return }
            repeat {
                let name = try reader.name().decode()
                let raw = String(decoding: try reader.skipValue(), as: UTF8.self)
                if raw == "null" { continue }
                var copy = raw
                let text = try raw.hasPrefix("\"") ? copy.withUTF8 { try JSONReader($0).text() } : raw
                cells[name] = "\"" + text.replacing("\"", with: "\"\"") + "\""
            } while try reader.nextMember()
        }
        return entity.fields.map { cells[$0.name] ?? "" }.joined(separator: ",")
    }
}

extension JSONReader {
    fileprivate consuming func text() throws -> String {
        var reader = self
        return try reader.string().decode()
    }
}
