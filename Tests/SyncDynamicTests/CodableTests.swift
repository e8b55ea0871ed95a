import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// `Codable` of models and DTOs through Foundation's JSON coders.
@Suite struct CodableTests {
    private let texts = ["code": ["AB"], "longPattern": ["kilo"]]

    @Test func modelsPassThroughCodableInPlainForm() throws {
        try checkModels(BookmarkAdapter())
        try checkModels(ProjectAdapter())
        try checkModels(ReadStatusAdapter())
        try checkModels(TransactionAdapter())
        try checkModels(KitchenSinkAdapter())
    }

    @Test func dataTransferObjectsPassThroughCodableInWireForm() throws {
        try checkObjects(BookmarkAdapter(), object: { try BookmarkDTO($0) }, model: { try Bookmark($0) })
        try checkObjects(ProjectAdapter(), object: { try ProjectDTO($0) }, model: { try Project($0) })
        try checkObjects(
            ReadStatusAdapter(),
            object: { try ReadStatusDTO($0) },
            model: { try ReadStatus($0) }
        )
        try checkObjects(
            TransactionAdapter(),
            object: { try TransactionDTO($0) },
            model: { try Transaction($0) }
        )
        try checkObjects(
            KitchenSinkAdapter(),
            object: { try KitchenSinkDTO($0) },
            model: { try KitchenSink($0) }
        )
    }

    @Test func unknownMembersKeepTheirValues() throws {
        let json = #"""
            {"uuid":"379066e4-6dd5-4050-8470-004e08da28bd","a":[1,-0.5,true,null,"\u2028",18446744073709551615],
            "b":{"c":{"d":12345678901234567890.123456789012345678}},"/x":"slash"}
            """#
        let owner = try JSONDecoder().decode(SinkOwner.self, from: Data(json.utf8))
        #expect(owner.unknownFields["a"] == "[1,-0.5,true,null,\"\u{2028}\",18446744073709551615]")
        #expect(owner.unknownFields["b"] == #"{"c":{"d":12345678901234567890.123456789012345678}}"#)
        #expect(owner.unknownFields["/~1x"] == #""slash""#)
        let encoded = try JSONEncoder().encode(owner)
        #expect(try JSONDecoder().decode(SinkOwner.self, from: encoded) == owner)
        #expect(
            try JSONDecoder().decode(SinkOwnerDTO.self, from: encoded).unknownFields == owner.unknownFields
        )
    }

    @Test func draftsThatBreakConstraintsCanBeEncoded() throws {
        var project = Project(id: "", companyId: "", title: "")
        project.latitude = 1000
        let decoded = try JSONDecoder().decode(Project.self, from: try JSONEncoder().encode(project))
        #expect(decoded == project)
        #expect(decoded.createdAt == nil)
    }

    @Test func wrongTextIsADecodingError() throws {
        let json = #"{"uuid":"no uuid"}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SinkOwner.self, from: Data(json.utf8))
        }
        let dto = try JSONDecoder().decode(SinkOwnerDTO.self, from: Data(json.utf8))
        #expect(throws: FieldError(field: "uuid", rule: "type", message: "'uuid' must be a UUID.")) {
            try SinkOwner(dto)
        }
    }

    @Test func missingRequiredMembersAreADecodingError() throws {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SinkOwnerDTO.self, from: Data("{}".utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SinkOwner.self, from: Data("{}".utf8))
        }
    }

    private func checkModels<Adapter: EntityAdapter>(_ adapter: Adapter) throws
    where Adapter.Model: SyncEntity {
        for record in try records(adapter: adapter) {
            let model = try adapter.model(record)
            let json = try JSONEncoder().encode(model)
            #expect(
                try value(json: json)
                    == value(json: plain(record: record, descriptor: adapter.descriptor, form: .plain))
            )
            let decoded = try JSONDecoder().decode(Adapter.Model.self, from: json)
            let again = try adapter.record(decoded)
            #expect(
                try value(json: plain(record: again, descriptor: adapter.descriptor, form: .plain))
                    == value(json: json)
            )
        }
    }

    private func checkObjects<Adapter: EntityAdapter, Object: Codable & Hashable>(
        _ adapter: Adapter,
        object: (Adapter.Model) throws -> Object,
        model: (Object) throws -> Adapter.Model
    ) throws {
        for record in try records(adapter: adapter) {
            let dto = try object(try adapter.model(record))
            let json = try JSONEncoder().encode(dto)
            #expect(
                try value(json: json)
                    == value(json: plain(record: record, descriptor: adapter.descriptor, form: .wire))
            )
            let decoded = try JSONDecoder().decode(Object.self, from: json)
            let again = try adapter.record(try model(decoded))
            #expect(
                try value(json: plain(record: again, descriptor: adapter.descriptor, form: .wire))
                    == value(json: json)
            )
        }
    }

    /// Edge records without values that Foundation's coders cannot represent: numbers beyond doubles, and two
    /// member names that differ only in the Unicode form.
    private func records<Adapter: EntityAdapter>(adapter: Adapter) throws -> [Record] {
        try AdapterSuite(adapter: adapter, texts: texts).records(seed: 7).map { record in
            var record = record
            record.unknown.removeAll { $0.json == "1e400" || $0.path == "zz-\u{e9}" }
            return record
        }
    }

    private func plain(record: Record, descriptor: EntityDescriptor, form: RecordForm) -> Data {
        Data(RecordEncoder(descriptor: descriptor, form: form).bytes(record))
    }

    /// JSON without member order and number formatting, which `Codable` does not keep.
    private func value(json: Data) throws -> String {
        let object = try JSONSerialization.jsonObject(with: json)
        let sorted = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        return String(decoding: sorted, as: UTF8.self)
    }
}
