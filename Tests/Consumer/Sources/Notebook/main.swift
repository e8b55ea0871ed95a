import EntitySync
import EntitySyncFolder
import Foundation
import SyncCore

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
note.unknownFields = UnknownFields(members: [UnknownField(path: "colour", json: #"{"r":1}"#)])

let record = try Note.adapter.record(note)
let wire = RecordEncoder(descriptor: NoteAdapter.descriptor, form: .wire).bytes(record)
var decoder = RecordDecoder(descriptor: NoteAdapter.descriptor, form: .wire)
let pulled = try Note.adapter.model(try decoder.record(wire))
let sent = try JSONDecoder().decode(NoteDTO.self, from: try JSONEncoder().encode(try NoteDTO(note)))

// Off the main actor, also where the target's own code is on it unless it says otherwise.
let elsewhere = try await Task.detached { try NoteDTO(Note(text: "read")).text + NoteAdapter.descriptor.name }
    .value

print("elsewhere:", elsewhere)
// All types of the target are enough for a space.
let shared = FolderBackend(root: FileManager.default.temporaryDirectory.path + "/notebook")
let space = try SyncSpace.temporary(entities: SyncRegistry.types, remote: shared)
let kept = try space.collection(Note.self).insert(Note(text: "buy bread", mood: .unknown("calm"), labels: []))
let names = SyncRegistry.types.map { $0.adapter.descriptor.name }
space.close()

print("entities:", SyncRegistry.descriptors.map(\.name).joined(separator: " "))
print("types:", names.joined(separator: " "), kept.text)
print("wire:", String(decoding: wire.drop { $0 != UInt8(ascii: ",") }, as: UTF8.self))
print("rows and wire:", try Note.adapter.record(pulled) == record ? "same" : "changed")
print("transfer object:", try Note.adapter.record(try Note(sent)) == record ? "same" : "changed")
