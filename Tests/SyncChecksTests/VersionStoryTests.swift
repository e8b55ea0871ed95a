import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncFileBackend
import SyncRuntime
import SyncSchema
import TestSeeds
import Testing

/// Random stories of three devices that share a folder and are updated when it happens: by any change of the schemas, any
/// strategy, and with files that arrive late. The oracle knows what was written and where it may be found.
@Suite struct VersionStoryTests {
    @Test(arguments: TestSeeds.cases(0..<16))
    func noWordIsLostAndUpdatedDevicesAgree(_ seeds: TestSeeds) async throws {
        for seed in seeds {
            guard let story = try VersionStory(seed: seed) else { continue }
            defer { story.close() }
            try await story.play()
            let findings = story.findings
            #expect(findings.isEmpty, "seed \(seed):\n\((story.steps + findings).joined(separator: "\n"))")
        }
    }
}

/// One story.
private final class VersionStory {
    private var draw: Seed
    private let (old, new): ([EntityDescriptor], [EntityDescriptor])
    private let path: String
    private var devices: [VersionedDevice] = []
    private var updated: Set<Int> = []
    /// Words that nobody has replaced or deleted knowingly.
    private var words: Set<String> = []
    private var count = 0
    /// Whether versions that met before an update meet in the same way afterwards.
    private let expectsAgreement: Bool
    private(set) var steps: [String] = []
    private(set) var findings: [String] = []

    /// Nil if the change does not go with the strategy.
    init?(seed: UInt64) throws {
        draw = Seed(seed)
        let change = SchemaChangeTable.cases.filter { $0.effect == .opens }.randomElement(using: &draw)
        guard let change else { return nil }
        let strategy = ["last-write-wins", "preserve-local", "set-union"].randomElement(using: &draw) ?? ""
        let granularity = ["record", "field"].randomElement(using: &draw) ?? ""
        func schemas(_ edit: SchemaEdit) throws -> [EntityDescriptor]? {
            var sketch = SchemaSketch()
            (sketch.sync["strategy"], sketch.sync["granularity"]) = (strategy, granularity)
            edit(&sketch)
            let report = SchemaLoader.load(try sketch.sources)
            return report.isValid ? report.schemas.map { EntityDescriptor(schema: $0) } : nil
        }
        guard let old = try schemas(change.old), let new = try schemas(change.new) else { return nil }
        (self.old, self.new) = (old, new)
        // What met before by another rule is the same again with its next edit.
        let others = ["strategy", "granularity", "created", "updated"].map { "\($0)-changed" }
        expectsAgreement = !others.contains(change.rule) && !change.rule.hasPrefix("merge-rule")
        path = NSTemporaryDirectory() + "version-story-\(UUID().uuidString)"
        steps = ["\(change.rule), \(strategy), \(granularity)"]
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for name in ["x", "y", "z"] {
            let remote = FolderBackend(root: path + "/folder")
            devices.append(try VersionedDevice(name: name, path: path, entities: old, backend: remote))
        }
    }

    func close() {
        for device in devices { device.close() }
        try? FileManager.default.removeItem(atPath: path)
    }

    func play() async throws {
        if Bool.random(using: &draw) { try update(Int.random(in: 0..<3, using: &draw)) }
        for _ in 0..<Int.random(in: 8...24, using: &draw) { try await step() }
        for device in devices.indices { try update(device) }
        for _ in 0..<4 { for device in devices.indices { try await sync(device) } }
        let found = try devices.map { try $0.everything() }.joined(separator: "\n")
        for word in words.sorted() where !found.contains(word) { findings.append("\(word) is lost") }
        for key in expectsAgreement ? ["a", "b"] : [] {
            let shown = try devices.map { try $0.shown(key: RecordKey(key), form: .wire) }
            // Where somebody has to decide, devices differ until then.
            if Set(shown).count > 1, try !devices.contains(where: { try $0.asks() }) {
                findings.append("\(key) differs: \(shown.map { $0 ?? "nothing" })")
            }
        }
    }

    private func step() async throws {
        let device = Int.random(in: 0..<3, using: &draw)
        switch Int.random(in: 0..<20, using: &draw) {
        case 0..<8: try write(device)
        case 8: try delete(device)
        case 9: try update(device)
        case 10..<13: try await late(device)
        default: try await sync(device)
        }
    }

    private func update(_ device: Int) throws {
        guard updated.insert(device).inserted else { return }
        steps.append("\(device) is updated")
        try devices[device].update(entities: new)
    }

    private func sync(_ device: Int) async throws {
        steps.append("\(device) syncs")
        try await devices[device].sync()
    }

    /// One device does not see what the others send meanwhile, nor they what it sends.
    private func late(_ device: Int) async throws {
        let files = FileManager.default
        let (folder, copy, seen) = (path + "/folder", path + "/copy", path + "/seen")
        guard files.fileExists(atPath: folder) else { return }
        try files.copyItem(atPath: folder, toPath: copy)
        for _ in 0..<Int.random(in: 1...3, using: &draw) {
            let other = (device + Int.random(in: 1...2, using: &draw)) % 3
            if Bool.random(using: &draw) { try write(other) }
            try await sync(other)
        }
        try files.moveItem(atPath: folder, toPath: seen)
        try files.moveItem(atPath: copy, toPath: folder)
        steps.append("without these files:")
        if Bool.random(using: &draw) { try write(device) }
        try await sync(device)
        for place in try files.subpathsOfDirectory(atPath: seen) {
            guard !files.fileExists(atPath: "\(folder)/\(place)") else { continue }
            try files.copyItem(atPath: "\(seen)/\(place)", toPath: "\(folder)/\(place)")
        }
        try files.removeItem(atPath: seen)
    }

    private func write(_ device: Int) throws {
        let app = devices[device]
        let key = ["a", "b"].randomElement(using: &draw) ?? "a"
        let field = app.fieldName(["title", "body", "code"].randomElement(using: &draw) ?? "title")
        app.wait(Int64.random(in: 1...20, using: &draw))
        count += 1
        // Some values are longer than a newer or an older schema allows.
        let word = "w\(count)x" + (Bool.random(using: &draw) ? "" : String(repeating: "-", count: 30))
        guard app.has(field: field) else { return }
        let shown = try app.shown(field: field, key: RecordKey(key))
        let isNew = try app.shown(key: RecordKey(key)) == nil
        let title = isNew && field != app.fieldName("title") ? #","title":"t""# : ""
        guard (try? app.put(#"{"id":"\#(key)","\#(field)":"\#(word)"\#(title)}"#)) != nil else { return }
        steps.append("\(device) writes \(word.prefix(6)) into \(key).\(field)")
        words = words.filter { !shown.contains($0) }
        words.insert(word)
    }

    private func delete(_ device: Int) throws {
        let key = RecordKey(["a", "b"].randomElement(using: &draw) ?? "a")
        guard let shown = try devices[device].shown(key: key), (try? devices[device].delete(key: key)) != nil
        else {
            return
        }
        steps.append("\(device) deletes \(key)")
        words = words.filter { !shown.contains($0) }
    }
}
