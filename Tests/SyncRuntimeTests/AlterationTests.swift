import SyncCore
import SyncRuntime
import Testing

/// What a server's database makes of an edit takes nobody's words unseen.
@Suite struct AlterationTests {
    private static let phone = DeviceID(bits: 1)
    private static let server = DeviceID(bits: 0xa1)

    private let own = OwnDevices(current: Self.phone)

    private static func edit(_ device: DeviceID, sequence: Int64, time: Int64) -> EditTimestamp {
        EditTimestamp(time: Timestamp(microseconds: time), device: device, sequence: sequence)
    }

    private static func note(_ kind: MergeKind) -> EntityDescriptor {
        Entities.note(
            strategy: kind.strategy,
            granularity: kind.granularity,
            fields: [
                Entities.tags, FieldDescriptor(name: "price", type: .decimal),
                FieldDescriptor(name: "state", type: .string(), isRequired: true, defaultJSON: #""draft""#),
            ]
        )
    }

    /// A first edit of the phone, at 10 seconds.
    private static func sent(_ note: EntityDescriptor, title: String = "all of it", tags: [String] = ["a"])
        -> SyncRecord
    {
        let time = Self.edit(phone, sequence: 1, time: 10_000_000)
        var record = Record(empty: note)
        set("id", to: .text("n"), in: &record, of: note)
        set("title", to: .text(title), in: &record, of: note)
        set("price", to: .text("12.345"), in: &record, of: note)
        set("state", to: .text("draft"), in: &record, of: note)
        set("tags", to: .json("[\(tags.map { "\"\($0)\"" }.joined(separator: ","))]"), in: &record, of: note)
        for name in ["createdAt", "updatedAt"] { set(name, to: .timestamp(time.time), in: &record, of: note) }
        return SyncRecord(
            entity: note.name,
            key: RecordKey("n"),
            record: record,
            isDeleted: false,
            metadata: VersionMetadata(first: time)
        )
    }

    private static func set(
        _ name: String,
        to value: FieldValue?,
        in record: inout Record,
        of note: EntityDescriptor
    ) {
        guard let index = note.layout.position(of: name) else { return }
        record.values[index] = value
    }

    /// What the server makes of a version: its own edit on top, one tick later.
    private static func stored(
        _ note: EntityDescriptor,
        _ version: SyncRecord,
        fields: [String: FieldValue?]
    ) -> SyncRecord {
        var stored = version
        let time = version.metadata.editTimestamp.time.next
        let edit = EditTimestamp(time: time, device: server, sequence: 700)
        for (name, value) in fields { set(name, to: value, in: &stored.record, of: note) }
        var detail: FieldTimestamps?
        if note.layout.units.contains(where: { !$0.name.isEmpty }) {
            detail = version.metadata.detail ?? FieldTimestamps(origin: version.metadata.editTimestamp)
            for name in fields.keys where name != "updatedAt" {
                let unit = note.layout.units.contains { $0.name == name } ? name : ""
                if name == "tags" {
                    detail?.elements[name] = [:]
                } else {
                    detail?.units[unit] = [Sibling(editTimestamp: edit)]
                }
            }
        }
        stored.metadata = VersionMetadata(
            editTimestamp: edit,
            vector: version.metadata.vector,
            detail: detail
        )
        stored.metadata.vector.insert(edit)
        return stored
    }

    private static func losses(of result: Reconciliation) -> [Loss] {
        result.effects.compactMap { effect in
            if case .journal(let loss, "altered") = effect { loss } else { nil }
        }
    }

    private func reconcile(_ note: EntityDescriptor) -> Reconcile {
        Reconcile(note, own: own, remote: .linear)
    }

    /// A cut text, rounded money, an element that was taken out of a set.
    private static let cuts: [[String: FieldValue?]] = [
        ["title": .text("all")], ["price": .text("12.35")], ["title": .text("all"), "price": nil],
        ["tags": .json("[]")],
    ]

    @Test(arguments: MergeKind.allCases, cuts.indices)
    func whatTheAnswerToAPushDoesNotKeepIsInTheJournal(kind: MergeKind, cut: Int) throws {
        let note = Self.note(kind)
        let sent = Self.sent(note)
        let stored = Self.stored(note, sent, fields: Self.cuts[cut])
        let state = RecordState(local: LocalRecord(version: sent, state: .pending))
        let result = reconcile(note)(state, on: .altered(stored, sent: sent))
        #expect(result.state == RecordState(local: LocalRecord(version: stored, state: .synced)))
        #expect(Self.losses(of: result) == [Loss(kept: stored, lost: sent)])
        // The page with it comes later.
        let page = reconcile(note)(result.state, on: .remote(stored, isAltered: true))
        #expect(Self.losses(of: page).isEmpty && page.state == result.state)
    }

    @Test(arguments: MergeKind.allCases, cuts.indices)
    func whatAPageBringsOfAnEditWhoseAnswerWasLostIsInTheJournal(kind: MergeKind, cut: Int) throws {
        let note = Self.note(kind)
        let sent = Self.sent(note)
        let stored = Self.stored(note, sent, fields: Self.cuts[cut])
        let state = RecordState(local: LocalRecord(version: sent, state: .pending))
        let result = reconcile(note)(state, on: .remote(stored, isAltered: true))
        #expect(result.state == RecordState(local: LocalRecord(version: stored, state: .synced)))
        #expect(Self.losses(of: result) == [Loss(kept: stored, lost: sent)])
        let again = reconcile(note)(result.state, on: .remote(stored, isAltered: true))
        #expect(again.effects.isEmpty && again.state == result.state)
    }

    @Test(arguments: MergeKind.allCases)
    func anotherDeviceOfThePersonHasNoEntry(kind: MergeKind) throws {
        let note = Self.note(kind)
        let sent = Self.sent(note)
        let stored = Self.stored(note, sent, fields: ["title": .text("all")])
        let tablet = Reconcile(note, own: OwnDevices(current: DeviceID(bits: 2)), remote: .linear)
        let synced = RecordState(local: LocalRecord(version: sent, state: .synced))
        for state in [RecordState(), synced] {
            let result = tablet(state, on: .remote(stored, isAltered: true))
            #expect(result.effects.allSatisfy { $0 == .removeRejection } && result.losses.isEmpty)
            #expect(result.state.local?.version == stored)
        }
    }

    /// Times, a field that was left empty or has the value of a new record, one that the edit did not change, and
    /// elements that were added to a set.
    @Test(arguments: MergeKind.allCases)
    func whatTakesNothingAwayIsNotInTheJournal(kind: MergeKind) throws {
        let note = Self.note(kind)
        let sent = Self.sent(note)
        let later = FieldValue.timestamp(Timestamp(microseconds: 99_000_000))
        for fields: [String: FieldValue?] in [
            ["updatedAt": later], ["createdAt": later], ["body": .text("filled in")], ["state": .text("new")],
            ["tags": .json(#"["a","b"]"#)],
        ] {
            let stored = Self.stored(note, sent, fields: fields)
            let state = RecordState(local: LocalRecord(version: sent, state: .pending))
            for event: RecordEvent in [.altered(stored, sent: sent), .remote(stored, isAltered: true)] {
                let result = reconcile(note)(state, on: event)
                #expect(Self.losses(of: result).isEmpty, "\(fields)")
                #expect(result.state.local?.state == .synced)
            }
        }
        // An edit of the title, on a version whose price the table alters now.
        let (base, edited) = try edits(note)
        let stored = Self.stored(note, edited, fields: ["price": .text("12.35")])
        let state = RecordState(local: LocalRecord(version: edited, state: .pending), base: base)
        #expect(Self.losses(of: reconcile(note)(state, on: .altered(stored, sent: edited))).isEmpty)
        // And one that the table takes back.
        let undone = Self.stored(note, edited, fields: ["title": .text("all of it")])
        #expect(Self.losses(of: reconcile(note)(state, on: .altered(undone, sent: edited))).count == 1)
    }

    /// A synced version, and the phone's edit of its title.
    private func edits(_ note: EntityDescriptor) throws -> (base: SyncRecord, edited: SyncRecord) {
        let base = Self.sent(note)
        var edited = base
        let edit = Self.edit(Self.phone, sequence: 2, time: 20_000_000)
        Self.set("title", to: .text("another"), in: &edited.record, of: note)
        var detail: FieldTimestamps?
        if note.layout.units.contains(where: { !$0.name.isEmpty }) {
            detail = FieldTimestamps(origin: base.metadata.editTimestamp)
            detail?.units[note.meetsByField ? "title" : ""] = [Sibling(editTimestamp: edit)]
            detail?.elements["tags"] = [:]
        }
        edited.metadata = VersionMetadata(editTimestamp: edit, vector: VersionVector(edit), detail: detail)
        return (base, edited)
    }

    /// Another device with a slow clock writes one tick after what it replaces, too.
    @Test(arguments: MergeKind.allCases)
    func anEditOfSomebodyElseIsNoAlteration(kind: MergeKind) throws {
        let note = Self.note(kind)
        let sent = Self.sent(note)
        let other = Self.stored(note, sent, fields: ["title": .text("all")])
        let state = RecordState(local: LocalRecord(version: sent, state: .pending))
        #expect(reconcile(note)(state, on: .remote(other)).effects.isEmpty)
        let folder = Reconcile(note, own: own, remote: .forked)
        #expect(Self.losses(of: folder(state, on: .remote(other, isAltered: true))).isEmpty)
    }

    /// A server lowers a time that is far ahead: the edit stays its author's.
    @Test func aLoweredTimeIsNoAlteration() throws {
        let note = Self.note(.wholeRecord)
        let sent = Self.sent(note)
        var stored = sent
        stored.metadata.editTimestamp.time = Timestamp(microseconds: 5_000_000)
        let state = RecordState(local: LocalRecord(version: sent, state: .pending))
        let result = reconcile(note)(state, on: .altered(stored, sent: sent))
        #expect(Self.losses(of: result).isEmpty && result.state.local?.version == stored)
    }

    /// The person has gone on writing while the push was under way.
    @Test(arguments: MergeKind.allCases)
    func theEntryIsMadeOnceIfThePersonWroteMeanwhile(kind: MergeKind) throws {
        let note = Self.note(kind)
        let (sent, later) = try edits(note)
        let stored = Self.stored(note, sent, fields: ["price": .text("12.35")])
        let state = RecordState(local: LocalRecord(version: later, state: .pending))
        let answered = reconcile(note)(state, on: .altered(stored, sent: sent))
        #expect(Self.losses(of: answered) == [Loss(kept: stored, lost: sent)])
        let page = reconcile(note)(answered.state, on: .remote(stored, isAltered: true))
        #expect(Self.losses(of: page).isEmpty)
    }

    /// The answer was lost, and the person has gone on writing: of fields that merge by themselves, the later edit still
    /// holds what was sent. As a whole, the strategy decides between it and what was stored.
    @Test(arguments: MergeKind.allCases)
    func whatALaterEditStillHoldsOfALostAnswerIsInTheJournal(kind: MergeKind) throws {
        let note = Self.note(kind)
        let (sent, later) = try edits(note)
        let stored = Self.stored(note, sent, fields: ["price": .text("12.35"), "tags": .json("[]")])
        let state = RecordState(local: LocalRecord(version: later, state: .pending))
        let result = reconcile(note)(state, on: .remote(stored, isAltered: true))
        #expect(Self.losses(of: result).count == 1)
        for (name, value) in [("price", FieldValue.text("12.345")), ("tags", .json(#"["a"]"#))] {
            let field = try #require(note.layout.position(of: name))
            var kept = (Self.losses(of: result) + result.losses).map { $0.lost.record.values[field] }
            kept += [result.state.local?.version.record.values[field]]
            #expect(kept.contains(value), "\(name)")
        }
        let again = reconcile(note)(result.state, on: .remote(stored, isAltered: true))
        #expect(Self.losses(of: again).isEmpty)
    }
}
