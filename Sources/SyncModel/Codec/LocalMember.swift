/// The values of `localOnly` fields in an entry that never leaves this device: an object with the schema's names, before
/// the entry's body.
struct LocalMember {
    private static let name = "local"
    private let descriptor: EntityDescriptor

    init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
    }

    /// Appends the member, if the record has such values.
    func append(_ record: Record, to writer: inout JSONWriter) {
        var kept = Record(empty: descriptor)
        for index in descriptor.layout.localOnly { kept.values[index] = record.values[index] }
        guard kept.values.contains(where: { $0 != nil }) else { return }
        writer.name(Self.name)
        RecordEncoder(descriptor: descriptor, form: .plain).encode(RecordRow(kept), to: &writer)
    }

    /// Sets the values that a valid entry has, of this schema or an older one. One that this schema cannot read stays in
    /// the entry, for a version of the app that can.
    func read(_ entry: UnsafeBufferPointer<UInt8>, into record: inout Record) throws {
        var reader = JSONReader(validated: entry)
        guard try reader.beginObject() else { return }
        repeat {
            let member = try reader.name().decode()
            if member == Self.name { return try readMembers(&reader, into: &record) }
            if member == "body" { return }
            try reader.skipValue()
        } while try reader.nextMember()
    }

    private func readMembers(_ reader: inout JSONReader, into record: inout Record) throws {
        guard try reader.beginObject() else { return }
        repeat {
            let index = position(of: try reader.name().decode())
            let json = String(decoding: try reader.skipValue(), as: UTF8.self)
            guard let index, record.values[index] == nil else { continue }
            let type = descriptor.fields[index].type
            let value = type.adopting(value: .json(json))
            if case .json = value, !type.isStructured { continue }
            record.values[index] = value
        } while try reader.nextMember()
    }

    private func position(of name: String) -> Int? {
        descriptor.layout.position(of: name)
            ?? descriptor.layout.localOnly.first { descriptor.fields[$0].formerNames.contains(name) }
    }
}
