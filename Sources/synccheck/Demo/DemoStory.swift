import EntitySync

/// The script of the demo: a phone and a laptop share a folder.
struct DemoStory {
    let phone: DemoDevice
    let laptop: DemoDevice
    let material: DemoMaterial
    let reporter: DemoReporter

    /// Runs all steps in order.
    func run() async throws {
        try reporter.printUnchanged("A phone and a laptop share a folder. There is no server and no network.")
        try await firstSync()
        try await editsApart()
        try await conflict()
        try await readStatus()
        try await projectRace()
        try await deletion()
        try await ending()
    }

    private func firstSync() async throws {
        let count = material.verses.count
        try reporter.heading(text: "The phone marks \(count) verses, offline (bookmark, preserve-local)")
        try phone.put("bookmark", all: material.verses.map(\.json))
        let verse = material.verses[4]
        try reporter.print("\(verse.name)\n  \(verse.arabic)\n  \(verse.english)\n...")
        let waiting = try phone.counts(entity: "bookmark").pending
        try reporter.print("\(waiting) bookmarks are saved and wait for a sync.", provided: waiting == count)
        try await sync(phone, laptop)
        let received = try laptop.counts(entity: "bookmark").records
        try reporter.print("The laptop holds \(received) bookmarks.", provided: received == count)
    }

    private func editsApart() async throws {
        let (noted, tagged) = (material.verses[5], material.verses[11])
        try reporter.heading(text: "Both edit offline, and nobody has to decide anything")
        try reporter.print("The phone writes a note on \(noted.name), and tags \(tagged.name) 'memorise'.")
        try phone.put("bookmark", json: #"{"id":"\#(noted.key)","notes":"For the morning."}"#)
        try phone.put("bookmark", json: #"{"id":"\#(tagged.key)","tags":["memorise"]}"#)
        try reporter.print("The laptop tags \(tagged.name), too: 'friday'.")
        try laptop.put("bookmark", json: #"{"id":"\#(tagged.key)","tags":["friday"]}"#)
        try await sync(phone, laptop, phone)
        let tags = try phone.field(field: "tags", of: "bookmark", key: tagged.key)
        try reporter.print(
            "Tags are a set, so both stay: \(tags ?? "none") on both devices.",
            provided: try tags == #"["friday","memorise"]"#
                && laptop.field(field: "tags", of: "bookmark", key: tagged.key) == tags
        )
        let note = try laptop.field(field: "notes", of: "bookmark", key: noted.key)
        try reporter.print("The phone's note is on the laptop.", provided: note == "For the morning.")
    }

    private func conflict() async throws {
        let verse = material.verses[9]
        try reporter.heading(text: "Both write a note on the same verse, offline: a conflict")
        try phone.put("bookmark", json: #"{"id":"\#(verse.key)","notes":"Read this to Mother."}"#)
        try laptop.put("bookmark", json: #"{"id":"\#(verse.key)","notes":"Compare with 103:3."}"#)
        try await sync(phone, laptop)
        let conflicts = try laptop.conflicts()
        try reporter.print(
            "Which note is right, only a person knows. The laptop keeps both, side by side:",
            provided: conflicts.count == 1
        )
        for conflict in conflicts { try reporter.print("  " + conflict.text.trimmedLines(joinedBy: "\n  ")) }
        try reporter.print("The person takes both: 'Read this to Mother. Compare with 103:3.'")
        let both = "Read this to Mother. Compare with 103:3."
        try laptop.resolve("bookmark", key: verse.key, setting: "notes", to: both)
        try await sync(laptop, phone)
        let note = try phone.field(field: "notes", of: "bookmark", key: verse.key)
        try reporter.print(
            "Both devices have it, and no conflict is left.",
            provided: try note == both && laptop.conflicts().isEmpty && phone.conflicts().isEmpty
        )
    }
}
