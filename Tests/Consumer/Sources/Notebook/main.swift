import EntitySync
import Foundation

// A note's way from the app to the wire and back, with what a newer version of the app added.
var note = Note(
    text: "buy milk",
    price: Decimal(string: "1.10"),
    mood: .unknown("hungry"),
    labels: ["b", "a"]
)
note.place = Note.Place(name: "corner shop")
note.createdAt = Date(timeIntervalSince1970: -0.000_001)
note.updatedAt = note.createdAt
note.unknownFields = UnknownFields([UnknownField(path: "colour", json: #"{"r":1}"#)])

let record = try Note.adapter.record(note)
let wire = RecordEncoder(NoteAdapter.descriptor, form: .wire).bytes(record)
var decoder = RecordDecoder(NoteAdapter.descriptor, form: .wire)
let pulled = try Note.adapter.model(try decoder.record(wire))
let sent = try JSONDecoder().decode(NoteDTO.self, from: try JSONEncoder().encode(try NoteDTO(note)))

print("entities:", SyncRegistry.descriptors.map(\.name).joined(separator: " "))
print("wire:", String(decoding: wire.drop { $0 != UInt8(ascii: ",") }, as: UTF8.self))
print("rows and wire:", try Note.adapter.record(pulled) == record ? "same" : "changed")
print("transfer object:", try Note.adapter.record(try Note(sent)) == record ? "same" : "changed")
