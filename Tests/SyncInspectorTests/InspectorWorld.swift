import Foundation
import SyncCore
import SyncRuntime
import SyncStore

@testable import SyncInspector

/// A store in a folder of its own, which goes when the test ends, with records in every state.
final class InspectorWorld {
    let folder: URL
    let store: SQLiteStore
    let own: DeviceID

    /// Fields merge as a whole, and a person decides.
    static let note = EntityDescriptor(
        name: "note",
        typeName: "Note",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "title", type: .string(), isRequired: true),
            FieldDescriptor(name: "body", type: .string(), isNullable: true),
            FieldDescriptor(name: "stars", type: .integer()),
        ],
        key: ["id"],
        strategy: .preserveLocal
    )

    /// The later edit wins.
    static let task = EntityDescriptor(
        name: "task",
        typeName: "Task",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "state", type: .string()),
        ],
        key: ["id"],
        strategy: .lastWriteWins
    )

    static let entities = [note, task]
    static let other = DeviceID(bits: 0xabcd_ef01_2345_6789)
    /// 2026-03-01T12:00:00Z.
    static let now = Timestamp(microseconds: 1_772_366_400_000_000)

    /// Makes a store, or opens a copy of one that is closed.
    init(copying source: InspectorWorld? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "inspector-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if let source {
            try FileManager.default.copyItem(
                at: source.folder.appendingPathComponent("store.sqlite"),
                to: folder.appendingPathComponent("store.sqlite")
            )
        }
        store = try SQLiteStore.open(
            path: folder.appendingPathComponent("store.sqlite").path,
            entities: Self.entities,
            random: FixedRandom()
        )
        own = DeviceID(try store.read { try $0.value(name: "device") } ?? "") ?? DeviceID(bits: 1)
    }

    deinit {
        store.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Some time before the report.
    static func ago(minutes: Int64) -> Timestamp {
        Timestamp(microseconds: now.microseconds - minutes * 60_000_000)
    }

    /// A version of a note.
    func note(
        _ key: String,
        title: String,
        body: String? = nil,
        by device: DeviceID? = nil,
        sequence: Int64,
        minutes: Int64,
        isDeleted: Bool = false
    ) -> SyncRecord {
        let values: [FieldValue?] = [.text(key), .text(title), body.map { .text($0) } ?? .null, .integer(3)]
        return SyncRecord(
            entity: "note",
            key: RecordKey(key),
            record: Record(values: values),
            isDeleted: isDeleted,
            metadata: metadata(by: device, sequence: sequence, minutes: minutes)
        )
    }

    /// A version of a task.
    func task(_ key: String, state: String, by device: DeviceID? = nil, sequence: Int64, minutes: Int64)
        -> SyncRecord
    {
        SyncRecord(
            entity: "task",
            key: RecordKey(key),
            record: Record(values: [.text(key), .text(state)]),
            metadata: metadata(by: device, sequence: sequence, minutes: minutes)
        )
    }

    private func metadata(by device: DeviceID?, sequence: Int64, minutes: Int64) -> VersionMetadata {
        VersionMetadata(
            first: EditTimestamp(time: Self.ago(minutes: minutes), device: device ?? own, sequence: sequence)
        )
    }

    /// Adds a note in conflict.
    func addConflict(_ key: String, local: String, remote: String, to store: any StoreTransaction) throws {
        let base = note(key, title: "before", body: "a body", by: Self.other, sequence: 1, minutes: 500)
        let mine = note(key, title: local, body: "a body", sequence: 7, minutes: 60)
        let theirs = note(key, title: remote, body: "a body", by: Self.other, sequence: 9, minutes: 50)
        try store.save(entity: Self.note, record: LocalRecord(version: mine, state: .conflict))
        let id = RecordKey(key)
        try store.setSide(entity: Self.note, key: id, kind: .base, version: base)
        try store.setSide(entity: Self.note, key: id, kind: .remote, version: theirs)
        let (left, right) = (mine.metadata.editTimestamp, theirs.metadata.editTimestamp)
        try store.addHistory(
            entity: Self.note,
            key: id,
            entry: HistoryEntry(
                at: Self.ago(minutes: 40),
                event: "conflict",
                detail: "preserve-local: local \(left), remote \(right)"
            )
        )
    }

    /// Fills the store with something of everything. `text` becomes part of every key, value and reason.
    func fill(with text: String = "plain") throws {
        try store.write(.full) { store in
            try addConflict("conflict \(text)", local: "mine \(text)", remote: "theirs \(text)", to: store)
            let rejected = note("rejected \(text)", title: "bad \(text)", sequence: 8, minutes: 30)
            try store.save(entity: Self.note, record: LocalRecord(version: rejected, state: .rejected))
            try store.setRejection(rejection("rejected \(text)", reason: "the title is bad: \(text) [title]"))
            try store.setRejection(
                rejection(
                    "refused \(text)",
                    reason: "cannot be read \(text)",
                    raw: Array(#"{"x":"\#(text)"}"#.utf8)
                )
            )
            for number in 1...3 {
                let pending = task(
                    "task \(number) \(text)",
                    state: "state \(text)",
                    sequence: 20 + Int64(number),
                    minutes: 5
                )
                try store.save(entity: Self.task, record: LocalRecord(version: pending, state: .pending))
            }
            let kept = task("lost \(text)", state: "kept \(text)", by: Self.other, sequence: 30, minutes: 4)
            let lost = task("lost \(text)", state: "lost \(text)", sequence: 31, minutes: 6)
            try store.save(entity: Self.task, record: LocalRecord(version: kept, state: .synced))
            try store.addJournal(
                JournalEntry(
                    id: "0123456789abcdef",
                    at: Self.ago(minutes: 3),
                    rule: "last-write-wins",
                    kept: kept,
                    lost: lost
                )
            )
            try store.setValue("sync-history", value: Self.history(message: text))
        }
    }

    private func rejection(_ key: String, reason: String, raw: [UInt8]? = nil) -> Rejection {
        Rejection(
            entity: "note",
            key: RecordKey(key),
            reason: reason,
            attempts: 2,
            raw: raw,
            since: Self.ago(minutes: 30)
        )
    }

    /// Twelve past syncs as the store keeps them, the newest first; the newest failed.
    static func history(message: String) -> String {
        (0..<12).map { index in
            let started = ago(minutes: Int64(index) * 30 + 2).microseconds
            var writer = JSONWriter()
            writer.string(message)
            let error =
                #","error":"unreachable","message":\#(writer.text),"help":"Check it.","retry":"later""#
            return #"{"started":\#(started),"ended":\#(started + Int64(index + 1) * 90_000),"outcome":"#
                + #""\#(index == 0 ? "failed" : index == 4 ? "partial" : "synced")","#
                + #""counts":[\#(index % 4 + 1),\#(index),\#(index * 7),0,1,1]\#(index == 0 ? error : "")}"#
        }.joined(separator: "\n")
    }

    /// Reads a report, as the command does.
    func report(
        limits: ReportLimits = ReportLimits(),
        asked: RecordName? = nil,
        advice: [ReportedAdvice] = []
    ) throws -> StoreReport {
        try store.read { snapshot in
            var context = ReportContext(
                store: "some folder/store.sqlite",
                at: Self.now,
                program: "1.0.0",
                device: own.description,
                commands: StoreCommands(store: "some folder/store.sqlite"),
                limits: limits
            )
            context.asked = asked
            context.advice = advice
            context.remote = "/shared"
            context.storage = ReportedStorage(
                fileBytes: 123_456,
                entityBytes: ["note": 50_000, "task": 20_000],
                ownBytes: 30_000,
                freeBytes: 0
            )
            return try StoreReport(
                snapshot: snapshot,
                entities: Self.entities,
                status: try SyncStatus(snapshot: snapshot, entities: Self.entities),
                context: context
            )
        }
    }

    /// The page of a report.
    func page(limits: ReportLimits = ReportLimits(), asked: RecordName? = nil) throws -> String {
        InspectorPage(report: try report(limits: limits, asked: asked)).html
    }
}

/// Random bits that are always the same.
struct FixedRandom: RandomSource {
    func next() -> UInt64 { 0x1122_3344_5566_7788 }
}
