import SyncCore

/// The commands that a page or a text names: exact ones, for this store and these schemas.
package struct StoreCommands: Sendable {
    /// Options that lead to the store, quoted for a shell; empty for the defaults.
    private let options: [String]
    /// The one that leads to the schemas.
    private let schemaOptions: [String]

    /// The longest JSON in a command, in bytes. What is longer goes through a file.
    static let maxArgumentBytes = 1200

    /// Makes the commands of a store. Nil stands for the default of `--store` and `--schemas`.
    package init(store: String? = nil, schemas: String? = nil) {
        schemaOptions = schemas.map { Self.option("--schemas", value: $0) } ?? []
        options = schemaOptions + (store.map { Self.option("--store", value: $0) } ?? [])
    }

    /// An option with its value, which may begin with `-`.
    private static func option(_ name: String, value: String) -> [String] {
        let value = value.shellQuotedVisibly
        return value.hasPrefix("-") ? ["\(name)=\(value)"] : [name, value]
    }

    /// Why there is no command for some records.
    package static let noCommand =
        "No command can name this record: its key holds the character U+0000, which no shell passes on."

    /// Lists everything of one kind, for example `conflicts`.
    package func list(_ command: String) -> String { words(command) }

    /// Checks the schemas.
    package func validate() -> String { (["synccheck", "validate"] + schemaOptions).joined(separator: " ") }

    /// Sends and fetches. The remote of the last sync, or the word `DIR`.
    package func sync(remote: String?) -> String {
        words("sync", Self.option("--remote", value: remote ?? "DIR"))
    }

    /// Keeps one side of a conflict, `local` or `remote`, against the remote's version that was shown.
    ///
    /// - Returns: Nil if no command can name the record, as of all commands on a record.
    package func resolve(_ record: RecordName, keep side: String, against version: String?) -> String? {
        self.record("resolve", record, options: ["--keep", side] + against(version))
    }

    /// Replaces both sides of a conflict by a value, of which `json` is a draft.
    func resolve(_ conflict: ReportedConflict, with json: String) -> String? {
        guard Self.isLong(json) else {
            let options = ["--with", json.shellQuotedText] + against(conflict.version)
            return record("resolve", conflict.record, options: options)
        }
        return record("resolve", conflict.record, options: ["--with", "-"] + against(conflict.version)).map {
            $0 + " < record.json"
        }
    }

    /// Whether a draft is too long for a command, which then reads it from a file.
    static func isLong(_ json: String) -> Bool { json.utf8.count > maxArgumentBytes }

    private func against(_ version: String?) -> [String] { version.map { ["--against", $0] } ?? [] }

    /// Writes members of a record, of which `json` is a draft.
    func put(entity: String, json: String) -> String {
        guard Self.isLong(json) else { return words("put", [entity, json.shellQuotedText]) }
        return words("put", [entity, "-"]) + " < record.json"
    }

    /// Prints a record.
    func get(_ record: RecordName) -> String? { self.record("get", record) }

    /// Sends a rejected record again.
    package func retry(_ record: RecordName) -> String? { self.record("rejected retry", record) }

    /// Gives up a rejected record.
    package func discard(_ record: RecordName) -> String? { self.record("rejected discard", record) }

    /// Brings a value of the journal back.
    package func restore(id: String, withParents: Bool = false) -> String {
        words("restore", [id.shellQuotedVisibly] + (withParents ? ["--with-parents"] : []))
    }

    /// Tells all about a record.
    func explain(_ record: RecordName) -> String? { self.record("explain", record) }

    /// Makes a page that begins with a record.
    func inspect(_ record: RecordName) -> String? {
        self.record("inspect", record, options: ["--output", "page.html"])
    }

    /// Makes a page with longer lists.
    func inspect(limit: Int) -> String { words("inspect", ["--limit", "\(limit)", "--output", "page.html"]) }

    /// Serves a page with buttons.
    func serve() -> String { words("inspect", ["--serve"]) }

    private func words(_ command: String, _ words: [String] = []) -> String {
        (["synccheck", command] + words + options).joined(separator: " ")
    }

    /// A command on a record. A key that begins with `-` comes last, behind `--`.
    private func record(_ command: String, _ record: RecordName, options own: [String] = []) -> String? {
        guard record.hasCommands else { return nil }
        let key = record.key.text.shellQuotedVisibly
        guard record.key.text.hasPrefix("-") else { return words(command, [record.entity, key] + own) }
        return (["synccheck", command] + own + options + ["--", record.entity, key]).joined(separator: " ")
    }
}

extension RecordName {
    /// Whether a command can name the record: no shell argument holds U+0000.
    package var hasCommands: Bool { !key.text.utf8.contains(0) }
}
