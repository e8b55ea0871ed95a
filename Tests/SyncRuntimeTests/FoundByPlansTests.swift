import SyncCore
import SyncRuntime
import Testing

/// What dense stories about planning found, as the versions that met.
@Suite struct FoundByPlansTests {
    /// A version of the record `n`: its edit, all that the edit has seen, and when the record was made.
    private func version(
        _ note: EntityDescriptor,
        _ edit: (device: UInt64, sequence: Int64, time: Int64),
        seen: [(device: UInt64, sequence: Int64)] = [],
        title: String = "title",
        created: Int64 = 1,
        isDeleted: Bool = false
    ) -> SyncRecord {
        func mark(_ device: UInt64, _ sequence: Int64) -> EditMark {
            EditMark(
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
        var stamp = Stamp(first: mark(edit.device, edit.sequence))
        for (device, sequence) in seen { stamp.vector.insert(mark(device, sequence)) }
        return SyncRecord(
            entity: "note",
            key: RecordKey("n"),
            record: record,
            isDeleted: isDeleted,
            stamp: stamp
        )
    }

    @Test func oneEditWithTwoTimesOfCreationHasTheEarlierInEveryOrder() throws {
        let note = Entities.note(.lastWriteWins)
        let created = try #require(note.layout.created)
        let joined = version(note, (4, 1, 6), seen: [(1, 1)], created: 2)
        let plain = version(note, (4, 1, 6), seen: [(2, 1)], created: 6)
        for (left, right) in [(joined, plain), (plain, joined)] {
            guard case .merged(let result, _) = Merge(note, joinsAgreedTimes: false)(left, right) else {
                Issue.record("a conflict")
                continue
            }
            #expect(result.record.values[created] == .timestamp(Timestamp(microseconds: 2)))
        }
    }

    /// Who wrote one of two values was asked about them, though the record was deleted later than either.
    @Test(arguments: [MergeStrategy.lastWriteWins, .setUnion])
    func nobodyIsAskedAboutThePartsOfARecordThatIsDeleted(strategy: MergeStrategy) throws {
        let asked = FieldDescriptor("kept", type: .string(), merge: .preserveLocal)
        let note = Entities.note(strategy, granularity: .field, fields: [asked])
        let kept = try #require(note.layout.position(of: "kept"))
        func edit(_ device: UInt64, _ time: Int64, _ value: String) -> SyncRecord {
            var version = version(note, (device, 1, time))
            version.record.values[kept] = .text(value)
            return version
        }
        let (one, two) = (edit(1, 10, "one"), edit(2, 11, "two"))
        let deleted = version(
            note,
            (3, 2, 20),
            seen: strategy == .setUnion ? [(1, 1), (2, 1)] : [],
            isDeleted: true
        )
        #expect(Merge(note)(one, two) == .conflict)
        let alone = Merge(note)(one, deleted)
        guard case .merged(let tombstone, _) = alone else {
            Issue.record("\(alone)")
            return
        }
        for outcome in [Merge(note)(tombstone, two), Merge(note)(two, tombstone)] {
            guard case .merged(let result, _) = outcome, result.isDeleted else {
                Issue.record("\(outcome)")
                continue
            }
        }
        let heads = HeadSet(note)
        #expect(heads.view(heads.maximal([one, deleted, two])).beside.isEmpty)
    }

    @Test func anEditMadeHereIsShownThoughWhatOthersMadeOfAnEarlierOneStandsBeside() {
        let note = Entities.note(.preserveLocal, granularity: .field)
        let deleted = version(note, (1, 2, 18), isDeleted: true)
        var theirs = version(note, (1, 1, 12), seen: [(3, 2)], title: "theirs")
        let edit = EditMark(time: Timestamp(microseconds: 8), device: DeviceID(bits: 3), sequence: 2)
        var detail = StampDetail(origin: theirs.stamp.mark)
        detail.units["title"] = [Sibling(mark: edit)]
        theirs.stamp.detail = detail
        let mine = version(note, (1, 3, 20), title: "mine")
        var trees = Planner.Trees(
            local: LocalRecord(version: mine, state: .pending, hasHeads: true),
            base: deleted
        )
        trees.heads = [deleted, theirs]
        let plan = Planner(note, own: OwnDevices(DeviceID(bits: 1))).plan(trees, incoming: mine)
        #expect(plan.trees.local?.version.record == mine.record)
        #expect(plan.trees.heads.count == 2)
    }

    @Test func aConflictWithWhatThisDeviceDecidedElsewhereStaysUntilSomebodyDecides() {
        let note = Entities.note(.preserveLocal)
        // The later of two edits of one device has seen the earlier one by its vector, though nobody has decided.
        let decided = version(note, (2, 3, 8), seen: [(4, 1)], title: "decided")
        let mine = version(note, (2, 5, 6), title: "mine")
        var trees = Planner.Trees(local: LocalRecord(version: mine, state: .conflict, hasHeads: true))
        trees.remote = decided
        trees.heads = [decided]
        let incoming = version(note, (2, 3, 8), seen: [(4, 3)], title: "decided")
        let planner = Planner(note, own: OwnDevices(DeviceID(bits: 2)), isLinear: true)
        let plan = planner.plan(trees, incoming: incoming)
        #expect(plan.trees.local?.state == .conflict)
        #expect(plan.trees.remote?.record == incoming.record)
    }

    @Test func aConflictEndsOnceTheOtherSideSaysTheSameThoughMoreWasEditedHere() throws {
        let note = Entities.note(.preserveLocal, granularity: .field)
        let body = try #require(note.layout.position(of: "body"))
        let base = version(note, (1, 1, 2), title: "agreed")
        func edit(_ device: UInt64, _ sequence: Int64, _ time: Int64, _ names: [String], title: String)
            -> SyncRecord
        {
            var edited = version(note, (device, sequence, time), seen: [(1, 1)], title: title)
            var detail = StampDetail(origin: base.stamp.mark)
            for name in names { detail.units[name] = [Sibling(mark: edited.stamp.mark)] }
            edited.stamp.detail = detail
            return edited
        }
        var mine = edit(2, 1, 4, ["title", "body"], title: "both say")
        mine.record.values[body] = .text("more")
        var trees = Planner.Trees(local: LocalRecord(version: mine, state: .conflict), base: base)
        trees.remote = edit(3, 1, 5, ["title"], title: "theirs")
        let planner = Planner(note, own: OwnDevices(DeviceID(bits: 2)), isLinear: true)
        let plan = planner.plan(trees, incoming: edit(3, 2, 6, ["title"], title: "both say"))
        #expect(plan.trees.local?.state == .pending)
        #expect(plan.trees.local?.version.record.values[body] == .text("more"))
        #expect(planner.plan(trees, incoming: edit(3, 2, 6, ["title"], title: "other")).outcome == .conflict)
    }

    @Test func whatAThirdRecordTakesTheSightOfIsInTheJournal() {
        let note = Entities.note(.lastWriteWins, unique: [["title"]])
        let versions = [version(note, (4, 1, 2)), version(note, (3, 1, 4)), version(note, (1, 1, 6))]
        let members = zip(["a", "b", "c"], versions).map { key, version in
            var version = version
            version.key = RecordKey(key)
            version.record.values[0] = .text(key)
            version.record.values[2] = .text("body of \(key)")
            return UniqueConflict.Member(
                key: version.key,
                trees: Planner.Trees(local: LocalRecord(version: version, state: .synced))
            )
        }
        let plan = UniqueConflict(note, own: OwnDevices(DeviceID(bits: 9))).plan(members)
        #expect(plan.members[0].trees.local?.version.record.values[2] == .text("body of c"))
        let lost = plan.losses.map { $0.lost.record.values[2] }
        #expect(lost == [.text("body of a"), .text("body of b")])
    }
}
