import Foundation
import SyncCore
import SyncStore
import Testing

@testable import SyncInspector

@Suite struct StoreReportTests {
    @Test func aDraftLeavesOutTheTimesThatAWriteSets() {
        let entity = EntityDescriptor(
            name: "memo",
            typeName: "Memo",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "text", type: .string()),
                FieldDescriptor(name: "made", type: .dateTime, isRequired: true),
                FieldDescriptor(name: "changed", type: .dateTime, isRequired: true),
            ],
            key: ["id"],
            strategy: .lastWriteWins,
            created: "made",
            updated: "changed"
        )
        let time = FieldValue.timestamp(InspectorWorld.now)
        let draft = entity.draft(of: Record(values: [.text("k"), .text("t"), time, time]))
        #expect(draft == #"{"id":"k","text":"t"}"#)
    }

    /// A field may have the name of a member that other apps wrote, such as one that only they share.
    @Test func aMemberOfOtherAppsHidesNoField() {
        let entity = EntityDescriptor(
            name: "memo",
            typeName: "Memo",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "text", type: .string(), isLocalOnly: true),
            ],
            key: ["id"],
            strategy: .lastWriteWins
        )
        let members = [UnknownField(path: "text", json: #""theirs""#)]
        let edit = EditTimestamp(time: InspectorWorld.now, device: InspectorWorld.other, sequence: 1)
        let version = SyncRecord(
            entity: "memo",
            key: RecordKey("k"),
            record: Record(values: [.text("k"), .text("mine")], unknown: members),
            isDeleted: false,
            metadata: VersionMetadata(editTimestamp: edit, vector: VersionVector(edit))
        )
        let rows = FieldDifferences(entity: entity, versions: [version]).rows
        #expect(rows.map(\.field) == ["id", "text", "text (of other apps)"])
        #expect(rows.map(\.values) == [[#""k""#], [#""mine""#], [#""theirs""#]])
    }

    @Test func everyConflictShowsBothSidesAndWhatTheyCameFrom() throws {
        let world = try InspectorWorld()
        try world.fill()
        let conflict = try #require(try world.report().conflicts.elements.first)
        #expect(conflict.comparison.sides.map(\.name) == ["Before", "This device", "Remote"])
        #expect(conflict.comparison.rows.map(\.field) == ["title"])
        #expect(
            conflict.comparison.rows.first?.values == [#""before""#, #""mine plain""#, #""theirs plain""#]
        )
        #expect(conflict.version?.hasSuffix(".abcdef0123456789.9") == true)
    }

    @Test(arguments: ["before", "gone"])
    func aDeletedSideIsNamedAndShowsOnlyWhatSomebodyWroteIntoIt(title: String) throws {
        let world = try InspectorWorld()
        try world.store.write(.full) { store in
            try world.addConflict("a", local: "mine", remote: "theirs", to: store)
            let deleted = world.note(
                "a",
                title: title,
                body: "a body",
                by: InspectorWorld.other,
                sequence: 9,
                minutes: 1,
                isDeleted: true
            )
            try store.setSide(
                entity: InspectorWorld.note,
                key: RecordKey("a"),
                kind: .remote,
                version: deleted
            )
        }
        let conflict = try #require(try world.report().conflicts.elements.first)
        #expect(conflict.comparison.sides.map(\.isDeleted) == [false, false, true])
        let shown = conflict.comparison.rows.first { $0.field == "title" }?.values[2]
        #expect(shown == (title == "before" ? nil : "\"gone\""))
        #expect(try world.page().contains("Remote (deleted)"))
    }

    @Test func waitingChangesAreNamedByWhatTheyDo() throws {
        let world = try InspectorWorld()
        try world.store.write(.full) { store in
            let created = world.task("created", state: "new", sequence: 1, minutes: 9)
            let edited = world.task("edited", state: "new", sequence: 2, minutes: 8)
            for version in [created, edited] {
                try store.save(
                    entity: InspectorWorld.task,
                    record: LocalRecord(version: version, state: .pending)
                )
            }
            try store.setSide(
                entity: InspectorWorld.task,
                key: RecordKey("edited"),
                kind: .base,
                version: world.task("edited", state: "old", sequence: 1, minutes: 20)
            )
            let deleted = world.note("deleted", title: "x", sequence: 3, minutes: 7, isDeleted: true)
            try store.save(
                entity: InspectorWorld.note,
                record: LocalRecord(version: deleted, state: .pending)
            )
        }
        let report = try world.report()
        #expect(report.waiting.total == 3)
        #expect(
            report.waiting.elements.map { "\($0.record.key) \($0.kind)" } == [
                "deleted deleted", "created created", "edited edited",
            ]
        )
        #expect(report.waiting.elements.map(\.at) == [7, 9, 8].map(InspectorWorld.ago))
    }

    @Test func listsAreCutAndTheirWholeLengthIsKnown() throws {
        let world = try InspectorWorld()
        try world.store.write(.full) { store in
            for number in 100..<130 {
                try world.addConflict("c\(number)", local: "mine", remote: "theirs", to: store)
            }
        }
        let report = try world.report(limits: ReportLimits(items: 7))
        #expect(report.conflicts.elements.map(\.record.key.text) == (100..<107).map { "c\($0)" })
        #expect(report.conflicts.total == 30)
        let page = InspectorPage(report: report).html
        #expect(page.contains("7 conflicts of 30 are on this page."))
        #expect(page.contains("synccheck inspect --limit 30 --output page.html --store"))
    }

    @Test func aListOfLargeElementsIsCutByItsSize() throws {
        let world = try InspectorWorld()
        try world.store.write(.full) { store in
            for number in 100..<130 {
                try world.addConflict("c\(number)", local: "mine", remote: "theirs", to: store)
            }
        }
        var limits = ReportLimits()
        limits.listBytes = 10_000
        let page = try world.page(limits: limits)
        let shown = page.components(separatedBy: "id=\"conflict-").count - 1
        #expect((1..<10).contains(shown))
        #expect(page.contains("\(shown) conflicts of 30 are on this page."))
        limits.listBytes = 1
        let least = try world.page(limits: limits)
        #expect(least.contains("1 conflict of 30 are on this page."))
    }

    @Test func theHistoryOfARecordIsInOrderAndNamesEveryVersion() throws {
        let world = try InspectorWorld()
        try world.fill()
        let history = try #require(try world.report().histories.elements.first)
        #expect(history.record.key.text == "conflict plain")
        #expect(history.devices == [world.own, InspectorWorld.other])
        #expect(history.steps.map(\.kind) == [.edit(1), .edit(7), .edit(9), .event("conflict")])
        #expect(history.steps.map(\.device) == [1, 0, 1, 0])
        // The conflict came from both edits; theirs had seen the first one, as the counts of a device go on.
        #expect(history.steps.map(\.origins) == [[], [], [0], [1, 2]])
        #expect(
            history.steps.prefix(3).map(\.detail) == [
                "the last that both sides had", "on this device now", "on the remote",
            ]
        )
        let journaled = try #require(
            try world.report().histories.elements.first { $0.record.key.text == "lost plain" }
        )
        #expect(journaled.steps.map(\.detail) == ["now in the journal", "on this device now"])
    }

    @Test func theRecordThatIsAskedForComesFirst() throws {
        let world = try InspectorWorld()
        try world.fill()
        let asked = RecordName(entity: "task", key: RecordKey("task 2 plain"))
        let report = try world.report(asked: asked)
        #expect(report.histories.elements.first?.record == asked)
        let unknown = RecordName(entity: "task", key: RecordKey("nobody"))
        let error = #expect(throws: SyncError.self) { _ = try world.report(asked: unknown) }
        #expect(error?.kind == .notFound)
    }

    @Test func rejectedRecordsSayWhoseVersionItIs() throws {
        let world = try InspectorWorld()
        try world.fill()
        let rejected = try world.report().rejected.elements
        #expect(rejected.map(\.isLocal) == [true, false])
        #expect(rejected.map(\.code) == ["title", nil])
        #expect(rejected.map { $0.local != nil } == [true, false])
        #expect(rejected.map { $0.raw != nil } == [false, true])
    }

    @Test func aKeySurvivesALinkOrAForm() throws {
        for text in ["plain", "", "a\u{0}b\r\n", "\u{202E}", "👨‍👩‍👧", "<\"'&>"] {
            let name = RecordName(entity: "note", key: RecordKey(text))
            #expect(RecordName(entity: "note", hexKey: name.hexKey) == name)
        }
        for wrong in ["0", "zz", "ff", "+1"] { #expect(RecordName(entity: "note", hexKey: wrong) == nil) }
    }
}
