import SyncCore
import SyncRuntime
import Testing

/// An edit whose device got a new identity after it was sent, and that others have merged meanwhile.
@Suite struct RenamedEditTests {
    private static func edit(device: UInt64, sequence: Int64, time: Int64 = 63_000_000) -> EditTimestamp {
        EditTimestamp(
            time: Timestamp(microseconds: time),
            device: DeviceID(bits: device),
            sequence: sequence
        )
    }

    private func version(
        note: EntityDescriptor,
        edit: EditTimestamp,
        created: Int64
    ) throws -> SyncRecord {
        var record = Record(empty: note)
        record.values[0] = .text("n")
        record.values[1] = .text("title")
        record.values[try #require(note.layout.created)] = .timestamp(Timestamp(microseconds: created))
        record.values[try #require(note.layout.updated)] = .timestamp(edit.time)
        return SyncRecord(
            entity: note.name,
            key: RecordKey("n"),
            record: record,
            isDeleted: false,
            metadata: VersionMetadata(first: edit)
        )
    }

    /// The device's edit 1 by its former identity was merged elsewhere with a record that had been created earlier.
    @Test(arguments: MergeKind.allCases)
    func whatOthersMergedIntoItIsTakenIn(kind: MergeKind) throws {
        let note = Entities.note(strategy: kind.strategy, granularity: kind.granularity)
        let former = try version(note: note, edit: Self.edit(device: 1, sequence: 1), created: 63_000_000)
        let first = Self.edit(device: 2, sequence: 7, time: 47_000_000)
        let other = try version(note: note, edit: first, created: 47_000_000)
        let theirs = Merge(descriptor: note).agreed(left: former, right: other)
        let mine = try version(note: note, edit: Self.edit(device: 3, sequence: 1), created: 63_000_000)
        let own = OwnDevices(current: DeviceID(bits: 3), former: [DeviceID(bits: 1)])
        let plan = Reconcile(note, own: own, remote: .forked)(
            RecordState(local: LocalRecord(version: mine, state: .pending)),
            on: .remote(theirs)
        )
        let local = try #require(plan.state.local)
        #expect(local.state == .pending, "the edit goes out under its new name")
        #expect(local.version.metadata.editTimestamp == mine.metadata.editTimestamp)
        #expect(local.version.metadata.vector[DeviceID(bits: 2)] == 7)
        #expect(local.version.metadata.vector[DeviceID(bits: 1)] == 0, "that number may name another edit")
        let theirPlan = Reconcile(note, own: OwnDevices(current: DeviceID(bits: 2)), remote: .forked)(
            RecordState(local: LocalRecord(version: theirs, state: .synced)),
            on: .remote(local.version)
        )
        #expect(theirPlan.state.local?.version.record == local.version.record)
    }

    /// A version of the former identity that nobody has merged says nothing new.
    @Test func itsOwnFormerVersionChangesNothing() throws {
        let note = Entities.note(strategy: .lastWriteWins)
        let former = try version(note: note, edit: Self.edit(device: 1, sequence: 1), created: 63_000_000)
        let mine = try version(note: note, edit: Self.edit(device: 3, sequence: 1), created: 63_000_000)
        let own = OwnDevices(current: DeviceID(bits: 3), former: [DeviceID(bits: 1)])
        let before = RecordState(local: LocalRecord(version: mine, state: .pending))
        let plan = Reconcile(note, own: own, remote: .forked)(before, on: .remote(former))
        #expect(plan.state.local == before.local)
    }

    /// A device wrote an edit, was put back from a backup, and used its number again; another one sends the first edit
    /// for it again, because the remote has lost it.
    @Test(arguments: MergeKind.allCases)
    func anEditThatIsSentAgainIsNotTakenForALaterOneOfItsName(kind: MergeKind) throws {
        let note = Entities.note(strategy: kind.strategy, granularity: kind.granularity)
        let first = Self.edit(device: 1, sequence: 2, time: 27_000_000)
        let earlier = try version(note: note, edit: first, created: 27_000_000)
        var later = try version(note: note, edit: Self.edit(device: 1, sequence: 2), created: 27_000_000)
        later.record.values[1] = .text("another title")
        let reconcile = Reconcile(note, own: OwnDevices(current: DeviceID(bits: 2)), remote: .forked)
        let sending = RecordState(local: LocalRecord(version: earlier, state: .pending))
        #expect(reconcile(sending, on: .remote(later)).state.local == sending.local)
        // Whoever sends the later one gives way, and its journal keeps that.
        let other = reconcile(
            RecordState(local: LocalRecord(version: later, state: .pending)),
            on: .remote(earlier)
        )
        #expect(other.state.local?.version == earlier)
        #expect(other.effects == [.journal(Loss(kept: earlier, lost: later), rule: "copied-store")])
    }
}
