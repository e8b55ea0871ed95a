import SyncCore
import SyncRuntime
import Testing

/// What dense stories about planning found, as the versions that met.
@Suite struct FoundByPlansTests {
    /// A version of the record `n`: its edit, all that the edit has seen, and when the record was made.
    private func version(
        note: EntityDescriptor,
        edit: (device: UInt64, sequence: Int64, time: Int64),
        seen: [(device: UInt64, sequence: Int64)] = [],
        title: String = "title",
        created: Int64 = 1,
        isDeleted: Bool = false
    ) -> SyncRecord {
        func editTimestamp(device: UInt64, sequence: Int64) -> EditTimestamp {
            EditTimestamp(
                time: Timestamp(microseconds: edit.time),
                device: DeviceID(bits: device),
                sequence: sequence
            )
        }
        var record = Record(empty: note)
        for (name, value) in [
            ("id", FieldValue.text("n")), ("title", .text(title)),
            ("createdAt", .timestamp(Timestamp(microseconds: created))),
            ("updatedAt", .timestamp(Timestamp(microseconds: edit.time))),
        ] {
            if let index = note.layout.position(of: name) { record.values[index] = value }
        }
        var metadata = VersionMetadata(first: editTimestamp(device: edit.device, sequence: edit.sequence))
        for (device, sequence) in seen {
            metadata.vector.insert(editTimestamp(device: device, sequence: sequence))
        }
        return SyncRecord(
            entity: "note",
            key: RecordKey("n"),
            record: record,
            isDeleted: isDeleted,
            metadata: metadata
        )
    }

    @Test func oneEditWithTwoTimesOfCreationHasTheEarlierInEveryOrder() throws {
        let note = Entities.note(strategy: .lastWriteWins)
        let created = try #require(note.layout.created)
        let joined = version(note: note, edit: (4, 1, 6), seen: [(1, 1)], created: 2)
        let plain = version(note: note, edit: (4, 1, 6), seen: [(2, 1)], created: 6)
        for (left, right) in [(joined, plain), (plain, joined)] {
            guard
                case .merged(let result, _) = Merge(descriptor: note, joinsAgreedTimes: false)(
                    left,
                    right: right
                )
            else {
                Issue.record("a conflict")
                continue
            }
            #expect(result.record.values[created] == .timestamp(Timestamp(microseconds: 2)))
        }
    }

    /// Who wrote one of two values was asked about them, though the record was deleted later than either.
    @Test(arguments: [MergeStrategy.lastWriteWins, .setUnion])
    func nobodyIsAskedAboutThePartsOfARecordThatIsDeleted(strategy: MergeStrategy) throws {
        let asked = FieldDescriptor(name: "kept", type: .string(), merge: .preserveLocal)
        let note = Entities.note(strategy: strategy, granularity: .field, fields: [asked])
        let kept = try #require(note.layout.position(of: "kept"))
        func edit(_ device: UInt64, time: Int64, value: String) -> SyncRecord {
            var version = version(note: note, edit: (device, 1, time))
            version.record.values[kept] = .text(value)
            return version
        }
        let (one, two) = (edit(1, time: 10, value: "one"), edit(2, time: 11, value: "two"))
        let deleted = version(
            note: note,
            edit: (3, 2, 20),
            seen: strategy == .setUnion ? [(1, 1), (2, 1)] : [],
            isDeleted: true
        )
        #expect(Merge(descriptor: note)(one, right: two) == .conflict)
        let alone = Merge(descriptor: note)(one, right: deleted)
        guard case .merged(let tombstone, _) = alone else {
            Issue.record("\(alone)")
            return
        }
        for outcome in [
            Merge(descriptor: note)(tombstone, right: two), Merge(descriptor: note)(two, right: tombstone),
        ] {
            guard case .merged(let result, _) = outcome, result.isDeleted else {
                Issue.record("\(outcome)")
                continue
            }
        }
        let heads = HeadSet(note)
        #expect(heads.view(heads: heads.maximal(versions: [one, deleted, two])).conflicting.isEmpty)
    }

    @Test func anEditMadeHereIsShownThoughWhatOthersMadeOfAnEarlierOneStandsBeside() {
        let note = Entities.note(strategy: .preserveLocal, granularity: .field)
        let deleted = version(note: note, edit: (1, 2, 18), isDeleted: true)
        var theirs = version(note: note, edit: (1, 1, 12), seen: [(3, 2)], title: "theirs")
        let edit = EditTimestamp(time: Timestamp(microseconds: 8), device: DeviceID(bits: 3), sequence: 2)
        var detail = FieldTimestamps(origin: theirs.metadata.editTimestamp)
        detail.units["title"] = [Sibling(editTimestamp: edit)]
        theirs.metadata.detail = detail
        let mine = version(note: note, edit: (1, 3, 20), title: "mine")
        var recordState = RecordState(
            local: LocalRecord(version: mine, state: .pending, hasHeads: true),
            base: deleted
        )
        recordState.heads = [deleted, theirs]
        let plan = Reconcile(note, own: OwnDevices(current: DeviceID(bits: 1)), remote: .forked)(
            recordState,
            on: .remote(mine)
        )
        #expect(plan.state.local?.version.record == mine.record)
        #expect(plan.state.heads.count == 2)
    }

    @Test func aConflictWithWhatThisDeviceDecidedElsewhereStaysUntilSomebodyDecides() {
        let note = Entities.note(strategy: .preserveLocal)
        // The later of two edits of one device has seen the earlier one by its vector, though nobody has decided.
        let decided = version(note: note, edit: (2, 3, 8), seen: [(4, 1)], title: "decided")
        let mine = version(note: note, edit: (2, 5, 6), title: "mine")
        var recordState = RecordState(
            local: LocalRecord(version: mine, state: .conflict, hasHeads: true)
        )
        recordState.remote = decided
        recordState.heads = [decided]
        let incoming = version(note: note, edit: (2, 3, 8), seen: [(4, 3)], title: "decided")
        let reconcile = Reconcile(note, own: OwnDevices(current: DeviceID(bits: 2)), remote: .linear)
        let plan = reconcile(recordState, on: .remote(incoming))
        #expect(plan.state.local?.state == .conflict)
        #expect(plan.state.remote?.record == incoming.record)
    }

    /// What another program wrote beside a version that it cannot have seen, such as into a column that is a member only
    /// since.
    @Test(arguments: MergeStrategy.allCases)
    func whatTheOnlyVersionOfTheRemoteHasNotSeenIsKept(strategy: MergeStrategy) throws {
        let note = Entities.note(strategy: strategy)
        let mine = version(note: note, edit: (2, 1, 4), title: "mine")
        let theirs = version(note: note, edit: (9, 1, 8), title: "theirs")
        let state = RecordState(local: LocalRecord(version: mine, state: .synced))
        let plan = Reconcile(note, own: OwnDevices(current: DeviceID(bits: 2)), remote: .linear)(
            state,
            on: .remote(theirs)
        )
        #expect(plan.state.local?.version.record == theirs.record)
        #expect(plan.losses.map(\.lost.record) == [mine.record])
    }

    /// A folder may hold several versions of a record, and its full state leaves them out together.
    @Test(arguments: [RemoteKind.linear, .forked])
    func whatAFullStateLeavesOutIsGoneWithAllItsVersions(kind: RemoteKind) throws {
        let note = Entities.note(strategy: .preserveLocal)
        let (shown, other) = (
            version(note: note, edit: (1, 1, 4), title: "shown"),
            version(note: note, edit: (3, 1, 5), title: "other")
        )
        let mine = version(note: note, edit: (2, 1, 6), seen: [(1, 1)], title: "mine")
        var before = RecordState(
            local: LocalRecord(version: mine, state: .pending, hasHeads: true),
            base: shown
        )
        before.heads = [shown, other]
        let result = Reconcile(note, own: OwnDevices(current: DeviceID(bits: 2)), remote: kind)(
            before,
            on: .absent
        )
        #expect(result.state.heads == [])
        #expect(result.state.local?.version.record == mine.record)
        #expect(result.state.local?.state == .conflict)
        #expect(result.state.remote?.isDeleted == true)
    }

    @Test func aConflictEndsOnceTheOtherSideSaysTheSameThoughMoreWasEditedHere() throws {
        let note = Entities.note(strategy: .preserveLocal, granularity: .field)
        let body = try #require(note.layout.position(of: "body"))
        let base = version(note: note, edit: (1, 1, 2), title: "agreed")
        func edit(_ device: UInt64, sequence: Int64, time: Int64, names: [String], title: String)
            -> SyncRecord
        {
            var edited = version(note: note, edit: (device, sequence, time), seen: [(1, 1)], title: title)
            var detail = FieldTimestamps(origin: base.metadata.editTimestamp)
            for name in names { detail.units[name] = [Sibling(editTimestamp: edited.metadata.editTimestamp)] }
            edited.metadata.detail = detail
            return edited
        }
        var mine = edit(2, sequence: 1, time: 4, names: ["title", "body"], title: "both say")
        mine.record.values[body] = .text("more")
        var recordState = RecordState(local: LocalRecord(version: mine, state: .conflict), base: base)
        recordState.remote = edit(3, sequence: 1, time: 5, names: ["title"], title: "theirs")
        let reconcile = Reconcile(note, own: OwnDevices(current: DeviceID(bits: 2)), remote: .linear)
        let plan = reconcile(
            recordState,
            on: .remote(edit(3, sequence: 2, time: 6, names: ["title"], title: "both say"))
        )
        #expect(plan.state.local?.state == .pending)
        #expect(plan.state.local?.version.record.values[body] == .text("more"))
        #expect(
            reconcile(
                recordState,
                on: .remote(edit(3, sequence: 2, time: 6, names: ["title"], title: "other"))
            )
            .outcome == .conflict
        )
    }

    @Test func whatAThirdRecordTakesTheSightOfIsInTheJournal() {
        let note = Entities.note(strategy: .lastWriteWins, unique: [["title"]])
        let versions = [
            version(note: note, edit: (4, 1, 2)), version(note: note, edit: (3, 1, 4)),
            version(note: note, edit: (1, 1, 6)),
        ]
        let members = zip(["a", "b", "c"], versions).map { key, version in
            var version = version
            version.key = RecordKey(key)
            version.record.values[0] = .text(key)
            version.record.values[2] = .text("body of \(key)")
            return UniqueConflict.Member(
                key: version.key,
                recordState: RecordState(local: LocalRecord(version: version, state: .synced))
            )
        }
        let plan = UniqueConflict(descriptor: note, own: OwnDevices(current: DeviceID(bits: 9))).plan(
            group: members
        )
        #expect(plan.members[0].recordState.local?.version.record.values[2] == .text("body of c"))
        let lost = plan.losses.map { $0.lost.record.values[2] }
        #expect(lost == [.text("body of a"), .text("body of b")])
    }

    @Test(arguments: [(mine: 7, theirs: 6), (mine: 6, theirs: 7)])
    func theSameConclusionFromOtherLastValuesGivesWayToThePublishedOne(mine: Int64, theirs: Int64) {
        let note = Entities.note(strategy: .lastWriteWins, unique: [["title"]])
        let base = version(note: note, edit: (4, 1, 5))
        let conclusions = DeviceID.conclusion(names: "merge", "note", "n", "other").bits
        func tombstone(at time: Int64) -> SyncRecord {
            var version = version(note: note, edit: (conclusions, 1, time), seen: [(4, 1)], isDeleted: true)
            version.mergedInto = RecordKey("other")
            return version
        }
        let waiting = RecordState(
            local: LocalRecord(version: tombstone(at: mine), state: .pending),
            base: base
        )
        let reconcile = Reconcile(note, own: OwnDevices(current: DeviceID(bits: 9)), remote: .forked)
        let incoming = RecordEvent.remote(tombstone(at: theirs), isForked: false)
        let taken = reconcile(waiting, on: incoming)
        #expect(
            taken.state
                == RecordState(local: LocalRecord(version: tombstone(at: theirs), state: .synced))
        )
        #expect(reconcile(taken.state, on: incoming).state == taken.state)
    }
}
