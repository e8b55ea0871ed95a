import Foundation
import ProgramRuns
import SyncCodegen
import Testing

@testable import SyncSchema

/// Every title and every field name that the schema check lets through gives Swift that compiles.
@Suite struct NameCompileTests {
    @Test(.timeLimit(.minutes(30))) func everyNameThatTheCheckAcceptsCompiles() throws {
        var files: [SchemaSource] = []
        var accepted: [String] = []
        var titles: Set<String> = []
        for name in try Self.candidates() {
            let isCompanion = SwiftNames.companionSuffixes.contains { name.hasSuffix($0) }
            if name.first?.isUppercase == true, !isCompanion, titles.insert(name.lowercased()).inserted {
                let entity = Self.entity(title: name, fields: Self.ordinary)
                if Self.isAccepted(entity) { files.append(Self.source(number: files.count, text: entity)) }
            }
            if Self.isAccepted(Self.entity(title: "X1", fields: Self.fields(names: [name]))) {
                accepted.append(name)
            }
        }
        #expect(accepted.count > 200 && files.count > 20)
        while !accepted.isEmpty {
            var lower: Set<String> = ["k"]
            let names = accepted.prefix(60).filter { lower.insert($0.lowercased()).inserted }
            accepted.removeAll { names.contains($0) }
            for offset in Self.types.indices {
                let text = Self.entity(
                    title: "X\(files.count)",
                    fields: Self.fields(names: names, offset: offset)
                )
                files.append(Self.source(number: files.count, text: text))
            }
        }
        for name in Self.words {
            for key in ["\"\(name)\"", "[\"\(name)\",\"k\"]"] {
                let text = Self.entity(
                    title: "X\(files.count)",
                    fields: Self.string(name),
                    key: key,
                    required: name
                )
                if Self.isAccepted(text) { files.append(Self.source(number: files.count, text: text)) }
            }
        }
        try typecheck(files: CodeGenerator.files(for: try Samples.check(files)))
    }

    /// Keys of an entity's own type, in all places where another entity refers to it.
    @Test(arguments: [[], ["-default-isolation", "MainActor"]])
    func keysOfAnEntitysOwnTypeCompileWhereverTheyStand(arguments: [String]) throws {
        func schema(
            _ name: String,
            key: String,
            _ fields: [String: String],
            references: [String: String] = [:]
        )
            -> SchemaSource
        {
            func object(_ members: [String: String]) -> String {
                "{"
                    + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(
                        separator: ","
                    ) + "}"
            }
            let required = "[" + fields.keys.sorted().map { "\"\($0)\"" }.joined(separator: ",") + "]"
            let targets = references.mapValues { "{\"entity\":\"\($0)\",\"onDelete\":\"keep\"}" }
            let title = name.split(separator: "-").map(\.capitalized).joined()
            let text = object([
                "title": "\"\(title)\"", "type": "\"object\"", "properties": object(fields),
                "required": required,
                "sync": object([
                    "key": key, "strategy": "\"last-write-wins\"", "references": object(targets),
                ]),
            ])
            return SchemaSource(path: "\(name).schema.json", bytes: Array(text.utf8))
        }
        let uuid = #"{"type":"string","format":"uuid"}"#
        let own = #"{"type":"string","format":"uuid","sync":{"swiftType":"ID"}}"#
        let maybe = #"{"type":["string","null"],"format":"uuid","default":null}"#
        let schemas = try Samples.check([
            schema("recipe", key: "\"id\"", ["id": own]),
            schema("photo", key: "\"recipeId\"", ["recipeId": uuid], references: ["recipeId": "recipe"]),
            schema(
                "caption",
                key: "\"id\"",
                ["id": uuid, "photoId": uuid],
                references: ["photoId": "photo"]
            ),
            schema(
                "recipe-part",
                key: #"["recipeId","partId"]"#,
                ["recipeId": uuid, "partId": uuid],
                references: ["recipeId": "recipe", "partId": "recipe"]
            ),
            schema(
                "step",
                key: "\"id\"",
                [
                    "id": #"{"type":"integer","sync":{"swiftType":"ID"}}"#, "recipeId": maybe,
                    "recipe": #"{"type":"string","enum":["a","b"]}"#,
                    "others": #"{"type":"array","items":{"type":"integer"}}"#,
                    "before": #"{"type":["integer","null"]}"#,
                ],
                references: ["recipeId": "recipe", "others": "step", "before": "step"]
            ),
            schema(
                "word",
                key: "\"code\"",
                [
                    "code": #"{"type":"string","sync":{"swiftType":"ID"}}"#,
                    "link": #"{"type":"string","format":"uri","default":"a:b","sync":{"swiftType":"URL"}}"#,
                ]
            ),
            schema(
                "day",
                key: "\"date\"",
                ["date": #"{"type":"string","format":"date","sync":{"swiftType":"ID"}}"#]
            ),
        ])
        let files = CodeGenerator.files(for: schemas)
        try typecheck(files: files, arguments: arguments)
        let caption = try #require(files.first { $0.name == "caption.schema.swift" })
        #expect(
            caption.contents.contains("public var photoId: Recipe.ID {"),
            "the key of a photo is its recipe's"
        )
    }

    @Test func membersThatAreCalledAsThoseOfAFieldCompile() throws {
        let members = [
            "hasValue", "hasValueMember", "schemaName", "schemaNameMember", "hasValueMemberMember",
        ]
        .map { "\"\($0)\":{\"type\":\"integer\"}" }.joined(separator: ",")
        let text = Self.entity(
            title: "Holder",
            fields: #","o":{"type":["object","null"],"properties":{\#(members)}}"#
        )
        try typecheck(
            files: CodeGenerator.files(for: try Samples.check([Self.source(number: 0, text: text)]))
        )
    }

    /// A mark that combines with the quotation mark before it stays, and so does one that a mark combines with.
    @Test(arguments: ["\u{301}start", "\u{64B}", "e\u{301}", "\u{600}1\u{600}", "plain"])
    func aDefaultStaysAsItIs(text: String) throws {
        let fields = #","s":{"type":"string","default":"\#(text)"}"#
        let source = Self.source(number: 0, text: Self.entity(title: "Holder", fields: fields))
        let file = try #require(CodeGenerator.files(for: try Samples.check([source])).first)
        let marks = text.unicodeScalars.filter { !$0.isASCII }
        let initialiser = try #require(file.contents.range(of: "init("))
        let rest = file.contents[initialiser.lowerBound...].prefix(400)
        let line = try #require(rest.split(separator: "\n").first { $0.contains("s: String") })
        for mark in marks {
            let isThere =
                line.unicodeScalars.contains(mark)
                || line.lowercased().contains("u{\(String(mark.value, radix: 16))}")
            #expect(isThere, "\(line)")
        }
    }

    private func typecheck(files: [GeneratedFile], arguments other: [String] = []) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "names-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in files { try Data(file.contents.utf8).write(to: folder.appendingPathComponent(file.name)) }
        let modules = Program.synccheck.url.deletingLastPathComponent().appendingPathComponent("Modules").path
        let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
        let arguments =
            ["swiftc", "-typecheck", "-wmo", "-swift-version", "6", "-module-name", "Names", "-I", modules]
            + features.flatMap { ["-enable-upcoming-feature", $0] } + other + files.map(\.name)
        let run = try Child(program: URL(fileURLWithPath: "/usr/bin/env"), arguments: arguments, in: folder)
            .wait()
        let errors = run.errorLines.filter { $0.contains("error: ") || $0.contains("warning: ") }
        #expect(run.exitCode == 0 && errors.isEmpty, "\(errors.prefix(20).joined(separator: "\n"))")
    }

    /// What generated code itself says, what its protocols ask for, and words that Swift has a use for.
    private static func candidates() throws -> [String] {
        var names = words
        for folder in ["SyncCodegenTests/Golden", "SyncDynamicTests/KitchenSink"].map(Samples.testFolder) {
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
                let code = text.split(separator: "\n").filter { !$0.contains("///") }.joined(separator: "\n")
                names.formUnion(code.matches(of: /[A-Za-z][A-Za-z0-9_]*/).map { String($0.0) })
            }
        }
        return names.subtracting(["k"]).sorted()
    }

    private static let words = SwiftNames.keywords.subtracting(["_"]).union(SwiftNames.reservedMembers).union(
        [
            "get", "set", "willSet", "didSet", "some", "any", "each", "actor", "macro", "package", "consume",
            "copy", "repeat",
            "discard", "dynamic", "lazy", "weak", "unowned", "mutating", "convenience", "required",
            "optional", "override",
            "final", "indirect", "infix", "prefix", "postfix", "left", "right", "none", "yield", "sending",
            "isolated",
            "Entity", "Model", "AllCases", "Element", "Index", "Key", "Value", "Body", "Row", "Wrapped",
            "Iterator",
            "description", "adapter", "record", "recordKey", "fields", "write", "descriptor", "layout",
            "rawValue", "allCases",
            "model", "dto", "wire", "decoder", "encoder", "oldValue", "newValue", "row", "value", "error",
            "column", "file", "Set", "Swift",
        ])

    private static let types = [
        #""type":"string""#, #""type":["string","null"],"default":"a""#,
        #""type":"string","format":"date-time""#,
        #""type":"string","format":"uuid","default":"379066e4-6dd5-4050-8470-004e08da28bd""#,
        #""type":"array","items":{"type":"string","format":"decimal"},"uniqueItems":true,"default":[]"#,
    ]
    private static let ordinary =
        #","s":{"type":"string","format":"uuid"},"e":{"enum":["a","b"],"default":"a"},"d":{"type":"string","format":"date"},"#
        + #""o":{"type":"object","properties":{"x":{"type":"string","contentEncoding":"base64"}},"default":{}}"#

    private static func string(_ name: String) -> String { #","\#(name)":{"type":"string"}"# }

    /// The fields, of one type after the other; every second as an enum or an object whose member has the name, too.
    private static func fields(names: [String], offset: Int = 0) -> String {
        names.enumerated().map { index, name in
            switch (index + offset) % (types.count + 2) {
            case types.count:
                #","\#(name)":{"type":"string","enum":["\#(name)","other"],"default":"\#(name)"}"#
            case types.count + 1:
                #","\#(name)":{"type":"object","properties":{"\#(name)":{"type":"number"}}}"#
            case let type: #","\#(name)":{\#(types[type])}"#
            }
        }.joined()
    }

    private static func entity(title: String, fields: String, key: String = "\"k\"", required: String? = nil)
        -> String
    {
        let required = required.map { ",\"\($0)\"" } ?? ""
        return """
            {"title":"\(title)","type":"object","properties":{"k":{"type":"string"}\(fields)},
            "required":["k"\(required)],"sync":{"key":\(key),"strategy":"last-write-wins"}}
            """
    }

    private static func source(number: Int, text: String) -> SchemaSource {
        SchemaSource(path: "e\(number).schema.json", bytes: Array(text.utf8))
    }

    private static func isAccepted(_ text: String) -> Bool {
        SchemaLoader.load([source(number: 0, text: text)]).isValid
    }
}
