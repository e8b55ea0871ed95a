import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncSchema
import Testing

/// Schemas are drawn at random over all keywords and their combinations, and every promise holds with each of them.
@Suite struct RandomSchemaTests {
    /// The set of a seed.
    static func drawn(seed: UInt64) throws -> RandomSchemas {
        try #require(RandomSchemas.drawn(seed: seed) { entities(of: $0) }, "no set of seed \(seed) is valid")
    }

    /// The entities of schemas; nil if there is an error in them.
    static func entities(of texts: [SchemaText]) -> [EntityDescriptor]? {
        let sources = texts.map { SchemaSource(path: $0.fileName, bytes: Array($0.text.utf8)) }
        let report = SchemaLoader.load(sources)
        return report.isValid ? EntityDescriptor.descriptors(of: report.schemas) : nil
    }

    @Test func oneSeedDrawsOneSet() throws {
        for seed in UInt64(0)..<20 {
            #expect(try Self.drawn(seed: seed).texts == Self.drawn(seed: seed).texts)
        }
        #expect(Set((UInt64(0)..<20).map { RandomSchemas.texts(seed: $0) }).count == 20)
    }

    @Test func hardlyAnySetIsRefused() throws {
        let refusals = try (UInt64(0)..<300).map { try Self.drawn(seed: $0).refusals }
        #expect(refusals.reduce(0, +) <= 6)
    }

    @Test func everyKeywordThatASchemaMayHaveIsDrawn() throws {
        var drawn: Set<String> = []
        for seed in UInt64(0)..<400 {
            for text in RandomSchemas.texts(seed: seed) { drawn.formUnion(try SchemaTraits(text).keywords) }
        }
        let known = try Self.known()
        #expect(known.count > 40)
        #expect(known.subtracting(drawn).sorted() == [])
    }

    /// The keywords of the published description of the format, without those that only people read.
    private static func known() throws -> Set<String> {
        let root = try JSONSerialization.jsonObject(with: Data(SchemaLoader.metaSchema)) as? [String: Any]
        let definitions = root?["$defs"] as? [String: Any] ?? [:]
        func members(of value: Any?) -> Set<String> {
            Set(((value as? [String: Any])?["properties"] as? [String: Any])?.keys ?? [:].keys)
        }
        let forPeople: Set<String> = [
            "$schema", "$id", "title", "description", "$comment", "examples", "deprecated", "readOnly",
            "writeOnly", "contentMediaType",
        ]
        var known: Set<String> = []
        for (place, value) in [
            ("entity", root), ("sync", definitions["entitySync"]), ("field sync", definitions["fieldSync"]),
            ("type", definitions["type"]),
        ] as [(String, Any?)] {
            known.formUnion(members(of: value).subtracting(forPeople).map { "\(place) \($0)" })
        }
        // No effect on an entity.
        return known.subtracting(["entity default"])
    }

    @Test func everyPairOfKeywordsIsDrawnWithinTenThousandSets() throws {
        var counted = TraitPairs()
        for seed in UInt64(0)..<10_000 {
            for text in RandomSchemas.texts(seed: seed) { counted.add(try SchemaTraits(text)) }
        }
        #expect(counted.entityTraits.count > 20)
        #expect(counted.fieldTraits.count > 40)
        #expect(counted.missing == [])
    }

    // MARK: Documentation

    /// The schemas that the documentation shows, each alone.
    private static func documented() throws -> [SchemaText] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let articles = root.appending(path: "Sources/EntitySync/EntitySync.docc")
        let names = try FileManager.default.contentsOfDirectory(atPath: articles.path).sorted()
        let pages =
            [root.appending(path: "README.md")]
            + names.filter { $0.hasSuffix(".md") }.map { articles.appending(path: $0) }
        return try pages.flatMap { page in
            let text = try String(contentsOf: page, encoding: .utf8)
            return text.components(separatedBy: "```json\n").dropFirst().compactMap { block -> SchemaText? in
                let json = block.components(separatedBy: "```")[0]
                guard json.contains("\"properties\""), json.contains("\"strategy\"") else { return nil }
                let root = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
                return SchemaText(name: root?["$id"] as? String ?? "documented", text: json)
            }
        }
    }

    @Test func schemasOfTheDocumentationKeepAllPromises() async throws {
        let schemas = try Self.documented()
        #expect(schemas.count >= 3)
        for schema in schemas {
            let entities = try #require(Self.entities(of: [schema]), "\(schema.name) is not valid")
            let drawn = RandomSchemas(seed: 7, texts: [schema], entities: entities, refusals: 0)
            let found = await Self.violation(of: drawn, plans: 3_000, worlds: 6)
            #expect(found == nil, "\(found ?? "")")
        }
    }

    // MARK: Promises

    /// The first promise that a set breaks, with its schemas and its story; nil if all hold.
    private static func violation(of drawn: RandomSchemas, plans: Int, worlds: UInt64) async -> String? {
        func told(rule: String, text: String, lines: [String]) -> String {
            let story = ([text] + drawn.lines + lines).joined(separator: "\n")
            return "\(rule) in set \(drawn.seed): \(story)"
        }
        for entity in drawn.entities {
            let laws = EntityLaws(descriptor: entity, among: drawn.entities)
            if let found = laws.violation(firstSeed: drawn.seed) {
                return told(rule: found.rule, text: found.description, lines: [])
            }
        }
        let planSimulator = PlanSimulator(drawn.entities)
        var (seed, made) = (drawn.seed, 0)
        while made < plans {
            let outcome = planSimulator.play(seed)
            made += outcome.plans
            seed &+= 1
            guard outcome.violation != nil else { continue }
            let short = planSimulator.shrunkWithLines(outcome: outcome)
            return told(
                rule: short.violation?.rule ?? "",
                text: short.violation?.description ?? "",
                lines: short.lines
            )
        }
        let simulator = Simulator(entities: drawn.entities)
        for seed in drawn.seed..<drawn.seed + worlds {
            let outcome = await simulator.play(seed)
            guard let found = outcome.violation else { continue }
            let short = await simulator.shrink(outcome)
            return told(
                rule: found.rule,
                text: found.description,
                lines: short.log.lines(devices: ["A", "B", "C"])
            )
        }
        let outside = OutsideSimulator(schemas: [OutsideSchemas(name: "random", entities: drawn.entities)])
        for seed in drawn.seed..<drawn.seed + worlds {
            let outcome = await outside.play(seed)
            guard let found = outcome.violations.first else { continue }
            let short = await outside.shrink(outcome, to: found.rule)
            return told(rule: found.rule, text: found.description, lines: short.lines)
        }
        return nil
    }

    /// Sets that once broke a promise: a deleted mirror that is required, a local field that is required, values of
    /// references to records that were merged, keys that are numbers.
    @Test(arguments: [5, 10, 12, 22, 27, 43, 61] as [UInt64])
    func aSetThatBrokeAPromiseOnceKeepsAll(seed: UInt64) async throws {
        let found = await Self.violation(of: try Self.drawn(seed: seed), plans: 1_000, worlds: 3)
        #expect(found == nil, "\(found ?? "")")
    }

    @Test func freshSetsKeepAllPromises() async throws {
        let first = UInt64.random(in: 0..<1 << 48)
        print("random schemas from seed \(first)")
        let end = ContinuousClock.now + .seconds(20)
        var seed = first
        while ContinuousClock.now < end {
            let found = await Self.violation(of: try Self.drawn(seed: seed), plans: 500, worlds: 2)
            #expect(found == nil, "\(found ?? "")")
            seed += 1
            await Task.yield()
        }
    }
}
