import EntitySync

extension DemoStory {
    func readStatus() async throws {
        let links = ["https://example.org/spring", "https://example.org/rain", "https://example.org/harvest"]
        func read(link: String, isRead: Bool) -> String { #"{"link":"\#(link)","isRead":\#(isRead)}"# }
        try reporter.heading(text: "Articles read here and there (read-status, set-union)")
        try reporter.print(
            "The phone reads 'spring' and 'rain', the laptop 'rain' and 'harvest', both offline."
        )
        for link in links[0...1] { try phone.put("read-status", json: read(link: link, isRead: true)) }
        for link in links[1...2] { try laptop.put("read-status", json: read(link: link, isRead: true)) }
        try await sync(phone, laptop, phone)
        let counts = try (
            phone.counts(entity: "read-status").records, laptop.counts(entity: "read-status").records
        )
        try reporter.print("Both count the same \(counts.0) articles as read.", provided: counts == (3, 3))
        try reporter.print("Then the laptop marks 'spring' unread.")
        try laptop.put("read-status", json: read(link: links[0], isRead: false))
        try await sync(laptop, phone)
        let isRead = try phone.field(field: "isRead", of: "read-status", key: links[0])
        try reporter.print("It is unread on the phone, too.", provided: isRead == "false")
    }

    func projectRace() async throws {
        try reporter.heading(text: "Two people change one project (project, last-write-wins)")
        try phone.put(
            "project",
            json: #"{"id":"p-7","companyId":"c-1","title":"New roof","status":"estimated"}"#
        )
        try await sync(phone, laptop)
        try reporter.print(
            "Offline, the phone sets the status to 'accepted'. Later the laptop sets it to 'closed'."
        )
        try phone.put("project", json: #"{"id":"p-7","status":"accepted"}"#)
        try laptop.put("project", json: #"{"id":"p-7","status":"closed"}"#)
        try await sync(phone, laptop, phone)
        let statuses = try (
            phone.field(field: "status", of: "project", key: "p-7"),
            laptop.field(field: "status", of: "project", key: "p-7")
        )
        try reporter.print("The later edit wins on both: closed.", provided: statuses == ("closed", "closed"))
        let journal = try laptop.journal().filter { $0.entity.name == "project" }
        try reporter.print(
            "What lost is in the laptop's journal, and 'restore' can bring it back:",
            provided: journal.count == 1
        )
        for entry in journal {
            let text = VersionComparison(
                entity: entry.entity,
                versions: [("kept", entry.entry.kept), ("lost", entry.entry.lost)]
            ).text
            try reporter.print("  " + text.trimmedLines(joinedBy: "\n  "))
        }
    }

    func deletion() async throws {
        let verse = material.verses[10]
        try reporter.heading(text: "A deletion stays a deletion")
        try reporter.print("The phone deletes the bookmark of \(verse.name); the laptop still has it.")
        try phone.delete("bookmark", key: verse.key)
        try await sync(phone, laptop, phone, laptop)
        let left = try (phone.counts(entity: "bookmark"), laptop.counts(entity: "bookmark"))
        let expected = material.verses.count - 1
        try reporter.print(
            "It is gone on both, however often they sync: \(expected) bookmarks and 1 deleted on each.",
            provided: left.0.records == expected && left.1.records == expected && left.0.deleted == 1
                && left.1.deleted == 1
        )
    }

    func ending() async throws {
        try reporter.heading(text: "Both devices are equal")
        let exports = try (phone.export(), laptop.export())
        let lines = exports.0.count { $0 == UInt8(ascii: "\n") }
        try reporter.print(
            "\(lines) records, deleted ones included, are the same on both, byte for byte.",
            provided: lines > 0 && exports.0 == exports.1
        )
    }

    /// Syncs devices one after another, and prints each result.
    func sync(_ devices: DemoDevice...) async throws {
        for device in devices { try reporter.print(await device.sync()) }
    }
}

extension String {
    /// The lines of the text without the last line feed.
    func trimmedLines(joinedBy separator: String) -> String {
        split(separator: "\n", omittingEmptySubsequences: true).joined(separator: separator)
    }
}
