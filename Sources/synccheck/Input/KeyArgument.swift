import EntitySync
import SyncCore

/// Parses the KEY argument.
enum KeyArgument {
    /// Parses a single key, or a JSON array with the values of a composite key, in canonical form: an uppercase
    /// UUID finds its record. Throws `usage` if a composite key is not an array of the right length.
    static func key(text: String, of entity: EntityDescriptor) throws -> RecordKey {
        let positions = entity.layout.key
        if positions.count == 1 {
            let field = entity.fields[positions[0]]
            var writer = JSONWriter()
            writer.beginObject()
            writer.name(field.name)
            if case .integer = field.type, let number = Int64(text) {
                writer.integer(number)
            } else {
                writer.string(text)
            }
            writer.endObject()
            return canonical(object: writer.bytes, of: entity) ?? RecordKey(text)
        }
        guard let values = elements(of: text), values.count == positions.count else {
            throw SyncError.malformedKey(entity: entity)
        }
        var writer = JSONWriter()
        writer.beginObject()
        for (position, value) in zip(positions, values) {
            writer.name(entity.fields[position].name)
            writer.raw(value)
        }
        writer.endObject()
        return canonical(object: writer.bytes, of: entity) ?? RecordKey(text)
    }

    /// The key of an object with the key fields; nil if a value is invalid, so that no record can have it.
    private static func canonical(object: [UInt8], of entity: EntityDescriptor) -> RecordKey? {
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        decoder.requiresAll = false
        guard let record = try? decoder.record(object) else { return nil }
        return entity.key(of: record)
    }

    private static func elements(of text: String) -> [[UInt8]]? {
        var copy = text
        return copy.withUTF8 { bytes -> [[UInt8]]? in
            do {
                var reader = try JSONReader(bytes)
                var elements: [[UInt8]] = []
                guard try reader.beginArray() else { return elements }
                repeat { elements.append(Array(try reader.skipValue())) } while try reader.nextElement()
                try reader.end()
                return elements
            } catch {
                return nil
            }
        }
    }
}
