import EntitySync

extension Explanation {
    /// What the store knows, for people.
    var text: String {
        var lines = ["\(entity.name) \(key.text.visible): \(local.state.word)"]
        lines += sentences.map { "  " + $0.withoutTerminalCodes }
        lines.append("")
        lines += version("local", local.version)
        for side in sides { if let version = side.version { lines += self.version(side.name, version) } }
        for head in heads { lines += version("head", head) }
        if !history.isEmpty { lines += ["", "history"] }
        lines += history.map { "  \($0.at)  \($0.event)  \(readable($0.detail))".withoutTerminalCodes }
        if !journal.isEmpty { lines += ["", "journal"] }
        return lines.map { $0 + "\n" }.joined() + journal.map(\.text).joined()
    }

    private func version(_ name: String, _ version: SyncRecord) -> [String] {
        let mark = version.stamp.mark
        let seen = version.stamp.vector.entries.map { "\(who($0.device)) up to edit \($0.sequence)" }
        var lines = ["\(name): \(mark.time) by \(who(mark.device)), edit \(mark.sequence)"]
        lines.append("  has seen " + seen.joined(separator: ", "))
        let record = String(decoding: entity.json(version.record), as: UTF8.self)
        lines.append("  " + (version.isDeleted ? "deleted; last value " : "") + record.withoutTerminalCodes)
        return lines
    }

    private func who(_ device: DeviceID) -> String {
        device.description == self.device ? "this device" : "device \(device)"
    }

    /// Marks in a sentence (`microseconds.device.sequence`) as time, device and edit.
    private func readable(_ detail: String) -> String {
        detail.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let trailing = word.hasSuffix(",") ? "," : ""
            guard let mark = EditMark(word.dropLast(trailing.count)) else { return String(word) }
            return "\(mark.time) by \(who(mark.device)), edit \(mark.sequence)"
                + (trailing.isEmpty ? "" : ";")
        }.joined(separator: " ")
    }
}

extension Explanation {
    /// What the store knows, for scripts.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("entity", entity.name)
        writer.member("key", key.text)
        writer.member("state", local.state.word)
        writer.member("visibility", local.visibility.word)
        writer.member("mergedInto", local.version.mergedInto?.text)
        writer.name("explanation")
        writer.array(sentences) { $0.string($1) }
        writer.name("local")
        write(local.version, to: &writer)
        for side in sides {
            writer.name(side.name)
            write(side.version, to: &writer)
        }
        writer.name("heads")
        writer.array(heads) { write($1, to: &$0) }
        writer.name("history")
        writer.array(history) { writer, entry in
            writer.beginObject()
            writer.member("at", entry.at.description)
            writer.member("event", entry.event)
            writer.member("detail", entry.detail)
            writer.endObject()
        }
        writer.name("journal")
        writer.array(journal) { $1.write(to: &$0) }
        writer.member("rejected", rejection?.reason)
        writer.endObject()
    }

    private func write(_ version: SyncRecord?, to writer: inout JSONWriter) {
        guard let version else { return writer.null() }
        writer.beginObject()
        writer.member("at", version.stamp.mark.time.description)
        writer.member("device", version.stamp.mark.device.description)
        writer.member("edit", version.stamp.mark.sequence)
        writer.name("seen")
        writer.beginObject()
        for entry in version.stamp.vector.entries { writer.member(entry.device.description, entry.sequence) }
        writer.endObject()
        writer.member("deleted", version.isDeleted)
        writer.member("record", json: entity.json(version.record))
        writer.endObject()
    }
}

extension SyncState {
    /// The word that people and scripts read.
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
    /// The word that scripts read.
    var word: String {
        switch self {
        case .live: "live"
        case .deleted: "deleted"
        case .merged: "merged"
        }
    }
}
