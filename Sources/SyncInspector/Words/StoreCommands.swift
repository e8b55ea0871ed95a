import SyncCore

/// The commands that a page names: exact ones, for this store and these schemas.
package struct StoreCommands: Sendable {
    /// Options that lead to the store, quoted for a shell; empty for the defaults.
    private let options: [String]

    /// The longest JSON in a command, in bytes. What is longer goes through a file.
    private static let maxArgumentBytes = 1200

    /// Makes the commands of a store. Nil stands for the default of `--store` and `--schemas`.
    package init(store: String? = nil, schemas: String? = nil) {
        options =
            (schemas.map { ["--schemas", $0.shellQuotedVisibly] } ?? [])
            + (store.map { ["--store", $0.shellQuotedVisibly] } ?? [])
    }

    /// Lists everything of one kind, for example `conflicts`.
    package func list(_ command: String) -> String { words(command) }

    /// Sends and fetches. The remote of the last sync, or the word `DIR`.
    func sync(remote: String?) -> String { words("sync", "--remote", remote?.shellQuotedVisibly ?? "DIR") }

    /// Keeps one side of a conflict, as it is shown.
    func resolve(_ conflict: ReportedConflict, keep side: String) -> String {
        record(
            "resolve",
            conflict.record,
            options: ["--keep", side] + against(conflict)
        )
    }

    /// Replaces both sides of a conflict by a value, of which `json` is a draft.
    func resolve(_ conflict: ReportedConflict, with json: String) -> String {
        guard json.utf8.count > Self.maxArgumentBytes else {
            return record(
                "resolve",
                conflict.record,
                options: ["--with", json.shellQuotedVisibly] + against(conflict)
            )
        }
        return record("resolve", conflict.record, options: ["--with", "-"] + against(conflict))
            + " < record.json"
    }

    private func against(_ conflict: ReportedConflict) -> [String] {
        conflict.version.map { ["--against", $0] } ?? []
    }

    /// Writes members of a record, of which `json` is a draft.
    func put(entity: String, json: String) -> String {
        guard json.utf8.count > Self.maxArgumentBytes else {
            return words("put", entity, json.shellQuotedVisibly)
        }
        return words("put", entity, "-") + " < record.json"
    }

    /// Prints a record.
    func get(_ record: RecordName) -> String { self.record("get", record) }

    /// Sends a rejected record again.
    func retry(_ record: RecordName) -> String { self.record("rejected retry", record) }

    /// Gives up a rejected record.
    func discard(_ record: RecordName) -> String { self.record("rejected discard", record) }

    /// Brings a value of the journal back.
    func restore(id: String, withParents: Bool = false) -> String {
        words("restore", [id.shellQuotedVisibly] + (withParents ? ["--with-parents"] : []))
    }

    /// Tells all about a record.
    func explain(_ record: RecordName) -> String { self.record("explain", record) }

    /// Makes a page that begins with a record.
    func inspect(_ record: RecordName) -> String {
        self.record("inspect", record, options: ["--output", "page.html"])
    }

    /// Makes a page with longer lists.
    func inspect(limit: Int) -> String { words("inspect", "--limit", "\(limit)", "--output", "page.html") }

    private func words(_ command: String, _ words: String...) -> String { self.words(command, words) }

    private func words(_ command: String, _ words: [String]) -> String {
        (["synccheck", command] + words + options).joined(separator: " ")
    }

    /// A command on a record. A key that begins with `-` comes last, behind `--`.
    private func record(_ command: String, _ record: RecordName, options own: [String] = []) -> String {
        let key = record.key.text.shellQuotedVisibly
        guard record.key.text.hasPrefix("-") else { return words(command, [record.entity, key] + own) }
        return (["synccheck", command] + own + options + ["--", record.entity, key]).joined(separator: " ")
    }
}
