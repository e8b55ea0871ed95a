import SyncCore
import SyncDynamic
import SyncEntities
import Testing

@Suite struct DynamicRecordTests {
    private let adapter = DynamicAdapter(ReadStatusAdapter.descriptor)

    @Test func valuesAreReachedByTheNamesOfTheSchema() throws {
        var status = DynamicRecord(adapter.descriptor)
        #expect(status.key == nil)
        try status.set("link", to: .text("https://example.org"))
        try status.set("isRead", to: .boolean(true))
        try status.set("feed", to: .null)
        #expect(
            status["link"] == .text("https://example.org") && status["feed"] == .null
                && status["title"] == nil
        )
        #expect(status.key == RecordKey("https://example.org"))
        let model = try ReadStatusAdapter().model(try adapter.record(status))
        #expect(
            model.link == "https://example.org" && model.isRead
                && model.unknownFields.absentFields == ["readAt", "title"]
        )
    }

    @Test func fieldsThatTheSchemaDoesNotHaveAreRefused() {
        var status = DynamicRecord(adapter.descriptor)
        #expect(throws: FieldError.self) { try status.set("nothing", to: .null) }
        #expect(status["nothing"] == nil)
    }

    @Test func valuesOfAnotherTypeAreRefused() throws {
        var status = DynamicRecord(adapter.descriptor)
        try status.set("isRead", to: .text("yes"))
        #expect(
            throws: FieldError(
                field: "isRead",
                rule: "type",
                message: "'isRead' has a value of another type."
            )
        ) {
            try adapter.record(status)
        }
        try status.set("isRead", to: .null)
        #expect(throws: FieldError.self) { try adapter.record(status) }
    }

    @Test func unknownMembersAreKeptSorted() throws {
        var status = DynamicRecord(adapter.descriptor)
        status.unknownFields = [UnknownField(path: "b", json: "1"), UnknownField(path: "a", json: "[]")]
        #expect(
            try adapter.model(try adapter.record(status)).unknownFields.map(\.path) == [
                "a", "b",
            ]
        )
    }
}
