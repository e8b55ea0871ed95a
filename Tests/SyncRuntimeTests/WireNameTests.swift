import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// What a person brings along under a name that a field has on the wire, or had once, is the field's, or refused: other devices
/// would read it as the field, and keep no other value of that name.
@Suite struct WireNameTests {
    private static let inner = FieldDescriptor(name: "firstName", wirePath: ["first_name"], type: .string())
    private let note = Entities.note(
        strategy: .preserveLocal,
        fields: [
            FieldDescriptor(name: "longText", wirePath: ["long_text"], type: .string(), renamedFrom: "words"),
            FieldDescriptor(name: "latitude", wirePath: ["place", "lat"], type: .number()),
            FieldDescriptor(name: "author", type: .object([inner])),
            FieldDescriptor(name: "authors", type: .array(element: .object([inner]))),
        ]
    )

    private func imported(_ members: String) throws -> Record {
        var decoder = RecordLineDecoder(note, fillsIn: true)
        let line = Array(#"{"id":"n","title":"t",\#(members)}"#.utf8)
        let read = try line.withUnsafeBufferPointer { try decoder.line($0) }
        return read.record
    }

    @Test(arguments: ["long_text", "words", "longText"])
    func aFieldTakesItsNamesOfTheWireAndOfBefore(name: String) throws {
        let record = try imported(#""\#(name)":"WORD""#)
        let position = try #require(note.layout.position(of: "longText"))
        #expect(record.values[position] == .text("WORD"))
        #expect(record.unknown.isEmpty)
    }

    @Test(
        arguments: [
            #""long_text":"WORD","longText":"other""#, #""words":7"#,
            #""long_text":7"#,
            #""place":{"street":"WORD"}"#, #""place":"WORD","latitude":1"#, #""/place/lat":1"#,
            #""author":{"firstName":"A","first_name":"WORD"}"#, #""author":{"first_name":"WORD"}"#,
            #""authors":[{"firstName":"A","first_name":"WORD"}]"#,
        ]
    )
    func whatOtherDevicesWouldReadAsTheFieldIsRefused(members: String) async throws {
        #expect(throws: FieldError.self) { try imported(members) }
        try await withWorld(count: 1, entities: note) { world in
            let device = world.devices[0]
            let error = #expect(throws: SyncError.self) {
                try device.put(entity: note, json: #"{"id":"n","title":"t",\#(members)}"#)
            }
            #expect(error?.kind == .invalidInput && error?.message.contains("WORD") == false)
        }
    }

    /// Other apps wrote it beside the field's place, in place of an object, or under a name that the field had.
    @Test func whatStandsBesideAFieldOnTheWireStaysUnknown() throws {
        let inside = try imported(
            #""/place/street":"WORD","author":{"firstName":"A","nick":"WORD"},"other":1"#
        )
        #expect(inside.unknown.map(\.path) == ["/place/street", "other"])
        #expect(try imported(#""place":"WORD""#).unknown.map(\.path) == ["place"])
        #expect(try imported(#""words":"WORD","longText":"other""#).unknown.map(\.path) == ["words"])
    }
}
