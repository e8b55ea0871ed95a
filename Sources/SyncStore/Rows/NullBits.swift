import SyncCore

/// The bits that distinguish null from absent, as a view shows them: columns of bits, and which field has which bit.
///
/// A field keeps its bit in a table when a schema gains, renames or drops others. So its place in the schema does not
/// tell its bit.
package enum NullBits {
    /// Bits in one column; the sign bit stays free.
    static let slotsPerColumn = 63

    /// The name of a column of bits.
    static func column(number: Int) -> String { number == 0 ? "sync_nulls" : "sync_nulls\(number)" }

    /// The names of fields by slot as JSON.
    static func text(names: [String]) -> String {
        var writer = JSONWriter()
        writer.strings(names)
        return writer.text
    }

    /// Where a field's bit is.
    package struct Place: Sendable, Hashable {
        /// The column of the view.
        package let column: String
        /// The bit's number in it, from 0.
        package let bit: Int64
    }

    /// The places of all fields, by name. Throws `JSONError` for what is no list of names.
    package static func places(text: String) throws -> [String: Place] {
        var copy = text
        return try copy.withUTF8 { bytes in
            var places: [String: Place] = [:]
            var reader = try JSONReader(bytes)
            guard try reader.beginArray() else { return places }
            var slot = 0
            repeat {
                let name = try reader.string().decode()
                let column = column(number: slot / slotsPerColumn)
                if !name.isEmpty { places[name] = Place(column: column, bit: Int64(slot % slotsPerColumn)) }
                slot += 1
            } while try reader.nextElement()
            return places
        }
    }
}
