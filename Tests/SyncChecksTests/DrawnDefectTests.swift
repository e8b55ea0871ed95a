import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// What worlds with random schemas have found.
@Suite struct DrawnDefectTests {
    private static func entity(of text: String) throws -> EntityDescriptor {
        try #require(RandomSchemaTests.entities(of: [SchemaText(name: "note", text: text)])?.first)
    }

    /// Nobody could edit such a record on a device that had received it.
    @Test func aRequiredLocalFieldThatAnotherDeviceDoesNotSendIsNull() throws {
        let entity = try Self.entity(
            of: #"""
                {"title":"NoteRecord","type":"object",
                 "properties":{"id":{"type":"string"},"draft":{"type":["string","null"],"sync":{"localOnly":true}}},
                 "required":["id","draft"],"sync":{"key":"id","strategy":"last-write-wins"}}
                """#
        )
        var decoder = RecordDecoder(descriptor: entity, form: .wire)
        let received = try decoder.record(Array(#"{"id":"a"}"#.utf8))
        #expect(RecordCheck.fieldError(record: received, descriptor: entity) == nil)
    }

    /// Devices held different records: here without the flag, there with its default.
    @Test func aRecordThatComesBackHasItsRequiredFlagForDeletesCleared() throws {
        let entity = try Self.entity(
            of: #"""
                {"title":"NoteRecord","type":"object",
                 "properties":{"id":{"type":"string"},"isGone":{"type":"boolean","default":false}},
                 "required":["id","isGone"],
                 "sync":{"key":"id","strategy":"last-write-wins","deleted":"isGone"}}
                """#
        )
        var record = Record(empty: entity)
        record.values = [.text("a"), .boolean(true)]
        let edit = EditTimestamp(time: Timestamp(microseconds: 1), device: DeviceID(bits: 1), sequence: 1)
        var version = SyncRecord(
            entity: "note",
            key: RecordKey("a"),
            record: record,
            metadata: VersionMetadata(first: edit)
        )
        version.isDeleted = true
        #expect(version.beforeDelete(in: entity).record.values == [.text("a"), .boolean(false)])
    }
}
