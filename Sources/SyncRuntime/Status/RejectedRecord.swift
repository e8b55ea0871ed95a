package import SyncCore

/// A rejected record with its local value.
package struct RejectedRecord: Sendable {
    /// Why, and since when.
    package let rejection: Rejection
    /// The local value as plain JSON; nil if there is none.
    package let local: [UInt8]?

    /// Reads the local value of a rejected record.
    package init(rejection: Rejection, entities: [EntityDescriptor], snapshot: any StoreSnapshot) throws {
        self.rejection = rejection
        let entity = entities.first { $0.name == rejection.entity }
        local = entity.flatMap { entity in
            // A damaged row has no value to show.
            guard let version = try? snapshot.load(entity: entity, key: rejection.key)?.version,
                !version.isDeleted
            else {
                return nil
            }
            return RecordEncoder(descriptor: entity, form: .plain).bytes(version.record)
        }
    }

    /// Writes the object that scripts rely on: `{"entity","key","reason","attempts","local","code","side","since"}`.
    /// `side` says whose version was rejected (`schema`: this device's is set aside), and `other`, if present, is the key of a record that it clashes with.
    /// `raw`, if requested, is the change that could not be taken in.
    package func write(to writer: inout JSONWriter, withRaw: Bool = false) {
        writer.beginObject()
        writer.member("entity", value: rejection.entity)
        writer.member("key", value: rejection.key.text)
        writer.member("reason", value: rejection.reason)
        writer.member("attempts", value: Int64(rejection.attempts))
        writer.name("local")
        if let local { writer.raw(local) } else { writer.null() }
        writer.member("code", value: rejection.code)
        let side = rejection.isSetAside ? "schema" : rejection.raw == nil ? "local" : "remote"
        writer.member("side", value: side)
        writer.member("since", value: rejection.since.description)
        if let other = rejection.other { writer.member("other", value: other) }
        if withRaw, let raw = rejection.raw {
            writer.name("raw")
            // What is no text is shown with replacement characters.
            writer.raw(Array(String(decoding: raw, as: UTF8.self).utf8))
        }
        writer.endObject()
    }
}

extension StoreSnapshot {
    /// The rejected records, oldest first.
    package func rejectedRecords(entities: [EntityDescriptor]) throws -> [RejectedRecord] {
        try standingRejections().map { try RejectedRecord(rejection: $0, entities: entities, snapshot: self) }
    }
}

extension Rejection {
    /// The remote's id of the violated rule, which ends the reason in brackets; nil if there is none.
    package var code: String? { rule?.code }

    /// The key of the record that this one clashes with, if the remote named it.
    package var other: String? { rule?.other }

    /// What ends the reason: `[rule]` or `[rule: key]`. A key may itself hold brackets.
    private var rule: (code: String, other: String?)? {
        guard raw == nil, reason.last == "]" else { return nil }
        var rest = reason.dropLast()
        while let start = rest.firstIndex(of: "[") {
            rest = rest[rest.index(after: start)...]
            let code = rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
            guard !code.isEmpty else { continue }
            let after = rest[code.endIndex...]
            if after.isEmpty { return (String(code), nil) }
            if after.hasPrefix(": ") { return (String(code), String(after.dropFirst(2))) }
        }
        return nil
    }

    /// Whether the change may fit as soon as another record changes.
    var isClash: Bool { raw == nil && (code == "unique" || code == "reference") }
}
