import SyncCore
import Testing

/// The field timestamps of a first version, for a store and for a direct write alike.
@Suite struct FirstVersionTests {
    private static func entity(_ granularity: MergeGranularity) -> EntityDescriptor {
        EntityDescriptor(
            name: "task",
            typeName: "TaskItem",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "level", type: .string(), isRequired: true, defaultJSON: #""easy""#),
                FieldDescriptor(name: "tags", type: .array(element: .string(), isSet: true), merge: .union),
            ],
            key: ["id"],
            strategy: .lastWriteWins,
            granularity: granularity
        )
    }

    private let edit = EditTimestamp(time: Timestamp(microseconds: 5), device: DeviceID(bits: 7), sequence: 1)

    private func detail(level: FieldValue?, _ granularity: MergeGranularity, isSeed: Bool = false)
        -> FieldTimestamps?
    {
        let record = Record(values: [.text("k"), level, nil])
        return FieldTimestamps(ofFirst: record, by: edit, isSeed: isSeed, entity: Self.entity(granularity))
    }

    @Test func onlyAGivenDefaultIsListed() {
        #expect(detail(level: .text("easy"), .field)?.units == ["level": [Sibling(editTimestamp: edit)]])
        #expect(
            detail(level: .text("easy"), .field)?.elements == ["tags": [:]],
            "a set is named wherever fields are"
        )
        #expect(detail(level: .text("hard"), .field) == nil)
        #expect(detail(level: nil, .field) == nil)
        #expect(detail(level: .text("easy"), .record) == nil, "a record as a whole is written anyway")
    }

    @Test func aSeedSaysSoWhateverItHolds() {
        for granularity in [MergeGranularity.record, .field] {
            #expect(detail(level: .text("hard"), granularity, isSeed: true)?.seeds == [edit])
        }
    }
}
