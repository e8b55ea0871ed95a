import EntitySync
import SyncCore

extension Explanation {
    /// The explanation as text.
    var text: String {
        var lines = ["\(entity.name) \(key.text.visible): \(local.state.word)"]
        lines += sentences.map { "  " + $0.withoutTerminalCodes }
        lines += ways.map { "    " + $0 }
        lines.append("")
        lines += version(name: "local", version: local.version)
        for side in sides {
            if let version = side.version { lines += self.version(name: side.name, version: version) }
        }
        for head in heads { lines += version(name: "head", version: head) }
        if !history.isEmpty { lines += ["", "history"] }
        lines += history.map {
            "  \($0.at)  \($0.event)  \(readable(detail: $0.detail))".withoutTerminalCodes
        }
        if !journal.isEmpty { lines += ["", "journal"] }
        return lines.map { $0 + "\n" }.joined() + journal.map(\.text).joined()
    }

    private func version(name: String, version: SyncRecord) -> [String] {
        let editTimestamp = version.metadata.editTimestamp
        let seen = version.metadata.vector.entries.map {
            "\(who(device: $0.device)) up to edit \($0.sequence)"
        }
        var lines = [
            "\(name): \(editTimestamp.time) by \(who(device: editTimestamp.device)), edit \(editTimestamp.sequence)"
        ]
        lines.append("  has seen " + seen.joined(separator: ", "))
        let record = String(decoding: entity.json(record: version.record), as: UTF8.self)
        lines.append("  " + (version.isDeleted ? "deleted; last value " : "") + record.withoutTerminalCodes)
        return lines
    }

    private func who(device: DeviceID) -> String {
        device.description == self.device ? "this device" : "device \(device)"
    }

    /// Replaces edit timestamps (`microseconds.device.sequence`) by time, device and edit number.
    private func readable(detail: String) -> String {
        detail.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let trailing = word.hasSuffix(",") ? "," : ""
            guard let editTimestamp = EditTimestamp(word.dropLast(trailing.count)) else {
                return String(word)
            }
            return
                "\(editTimestamp.time) by \(who(device: editTimestamp.device)), edit \(editTimestamp.sequence)"
                + (trailing.isEmpty ? "" : ";")
        }.joined(separator: " ")
    }
}

extension Explanation {
    /// Writes the explanation as JSON.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(name: "entity", text: entity.name)
        writer.member(name: "key", text: key.text)
        writer.member(name: "state", text: local.state.word)
        writer.member(name: "visibility", text: local.visibility.word)
        writer.member(name: "mergedInto", text: local.version.mergedInto?.text)
        writer.name("explanation")
        writer.array(elements: sentences) { $0.string($1) }
        writer.name("commands")
        writer.array(elements: ways) { $0.string($1) }
        writer.name("local")
        write(local.version, to: &writer)
        for side in sides {
            writer.name(side.name)
            write(side.version, to: &writer)
        }
        writer.name("heads")
        writer.array(elements: heads) { write($1, to: &$0) }
        writer.name("history")
        writer.array(elements: history) { writer, entry in
            writer.beginObject()
            writer.member(name: "at", text: entry.at.description)
            writer.member(name: "event", text: entry.event)
            writer.member(name: "detail", text: entry.detail)
            writer.endObject()
        }
        writer.name("journal")
        writer.array(elements: journal) { $1.write(to: &$0) }
        writer.member(name: "rejected", text: rejection?.reason)
        writer.endObject()
    }

    private func write(_ version: SyncRecord?, to writer: inout JSONWriter) {
        guard let version else { return writer.null() }
        writer.beginObject()
        writer.member(name: "at", text: version.metadata.editTimestamp.time.description)
        writer.member(name: "device", text: version.metadata.editTimestamp.device.description)
        writer.member(name: "edit", number: version.metadata.editTimestamp.sequence)
        writer.name("seen")
        writer.beginObject()
        for entry in version.metadata.vector.entries {
            writer.member(name: entry.device.description, number: entry.sequence)
        }
        writer.endObject()
        writer.member(name: "deleted", value: version.isDeleted)
        writer.member(name: "record", json: entity.json(record: version.record))
        writer.endObject()
    }
}

extension SyncState {
    /// The word in text and JSON output.
    var word: String {
        switch self {
        case .synced: "synced"
        case .pending: "pendingSync"
        case .conflict: "conflict"
        case .rejected: "rejected"
        }
    }
}

extension LocalRecord.Visibility {
    /// The word in JSON output.
    var word: String {
        switch self {
        case .live: "live"
        case .deleted: "deleted"
        case .setAside: "set-aside"
        }
    }
}
