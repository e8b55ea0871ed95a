/// A record that the remote rejected, or that could not be taken in.
package struct Rejection: Sendable, Hashable {
    /// The entity's name as received.
    package var entity: String
    /// The key as received.
    package var key: RecordKey
    /// Why.
    package var reason: String
    /// How often it was tried.
    package var attempts: Int
    /// The bytes that could not be taken in: an entry, or an array of some that have not seen each other. Nil if the
    /// remote rejected a local record; empty once that record is sent again and not yet answered.
    package var raw: [UInt8]?
    /// When it was rejected first; for a record that is set aside, when it was edited last.
    package var since: Timestamp
    /// Whether nobody has rejected this device's record, but it cannot be read with this version's schema.
    package var isSetAside = false

    /// Makes a rejection.
    package init(
        entity: String,
        key: RecordKey,
        reason: String,
        attempts: Int,
        raw: [UInt8]?,
        since: Timestamp
    ) {
        self.entity = entity
        self.key = key
        self.reason = reason
        self.attempts = attempts
        self.raw = raw
        self.since = since
    }

    /// The versions that could not be taken in: one, or several that have not seen each other.
    package var changes: [Change] {
        guard let raw, !raw.isEmpty else { return [] }
        return raw.withUnsafeBufferPointer { buffer in
            var reader = JSONReader(validated: buffer)
            func next(_ reader: inout JSONReader) throws -> Change {
                try EntryCodec.changeOfAnyText(reader: &reader, bytes: raw, isText: false)
            }
            do {
                guard try reader.peek() == UInt8(ascii: "[") else { return [try next(&reader)] }
                var changes: [Change] = []
                guard try reader.beginArray() else { return [] }
                repeat { changes.append(try next(&reader)) } while try reader.nextElement()
                return changes
            } catch { return [] }
        }
    }

    /// Bytes of versions that could not be taken in.
    package static func raw(_ changes: [Change]) -> [UInt8] {
        var writer = JSONWriter()
        if changes.count > 1 { writer.beginArray() }
        for change in changes { EntryCodec.append(change, to: &writer) }
        if changes.count > 1 { writer.endArray() }
        return writer.bytes
    }

    /// Whether it holds a version that a vector does not cover.
    package func holdsMore(than vector: VersionVector) -> Bool {
        changes.contains { $0.header.metadata.map { !vector.covers($0.vector) } ?? false }
    }

    /// Whether the record was sent again and waits for an answer. It is not rejected then, but its tries are
    /// remembered.
    package var isTriedAgain: Bool { raw?.isEmpty == true }
}
