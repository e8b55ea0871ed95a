import SyncPostgres
import SyncSchema
import Testing

/// Whatever a schema says stays a name, a literal or a comment.
@Suite struct HostileNameTests {
    /// Texts that end a name, a literal, a comment or a function's body, if nobody quotes them.
    private static let hostile = [
        #""; drop t; --"#, "'; drop t; --", "$$; drop t; --",
        "$body1$ $body2$ $$", "a\ndrop t;", "a\r\n; --", "\u{2028}drop", "*/ drop /*",
        #"\'; drop"#, #"\"#, "'", "\"", "''", "\"\"", "$", "$1", "%I", "{}", "{a,b}", "null", "select",
        "naïve ✂︎",
    ]

    private static func schema(text: (String) -> String) -> Schema {
        func property(name: String, type: SchemaType, json: String? = nil, isRequired: Bool = false)
            -> Property
        {
            Property(
                name: name,
                wirePath: [text(name)],
                summary: text("summary of \(name)"),
                type: type,
                isRequired: isRequired,
                defaultJSON: json
            )
        }
        var nested = property(name: "inner", type: .integer(minimum: nil, maximum: nil))
        nested.wirePath = [text("outer"), text("inner")]
        return Schema(
            name: "note",
            typeName: "Note",
            summary: text("summary"),
            properties: [
                property(
                    name: "id",
                    type: .string(minLength: 1, maxLength: nil, pattern: text("pattern")),
                    isRequired: true
                ),
                property(name: "second", type: .integer(minimum: 1, maximum: 9), isRequired: true),
                property(
                    name: "title",
                    type: .string(minLength: nil, maxLength: 10, pattern: nil),
                    json: #""it's""#
                ),
                property(
                    name: "tags",
                    type: .array(
                        item: property(name: "tag", type: .uri(maxLength: nil)),
                        isSet: true,
                        minItems: 1,
                        maxItems: 5
                    )
                ),
                property(name: "updatedAt", type: .dateTime, isRequired: true),
                property(name: "deletedAt", type: .dateTime), nested,
            ],
            key: ["id", "second"],
            strategy: .setUnion,
            updated: "updatedAt",
            deleted: "deletedAt",
            remote: text("notes"),
            unique: [["title"]],
            indexes: [["second"]]
        )
    }

    @Test(arguments: [false, true], PostgresOptions.Owner.allCases)
    func hostileTextNeverBecomesSQL(isExisting: Bool, owner: PostgresOptions.Owner) throws {
        let options = PostgresOptions(owner: owner, isExisting: isExisting)
        func structure(_ text: (String) -> String) throws -> [String] {
            let files = try PostgresGenerator.files(for: [Self.schema(text: text)], options: options)
            // The runtime's SQL does not depend on the schemas.
            return try SQLTokens(#require(files.last).contents).structure
        }
        let plain = try structure { $0 }
        #expect(plain.count > 1000)
        for text in Self.hostile {
            // In front of every name, and behind it.
            for hostile in [{ "\($0)\(text)" }, { "\(text)\($0)" }] as [(String) -> String] {
                #expect(try structure(hostile) == plain, "\(text)")
            }
        }
    }

    @Test func namesThatPostgreSQLWouldCutOrConfuseAreRefused() throws {
        var long = Self.schema { $0 }
        long.remote = String(repeating: "n", count: 64)
        #expect(throws: SQLNameError.self) {
            try PostgresGenerator.files(for: [long], options: PostgresOptions())
        }
        var twice = Self.schema { $0 }
        twice.properties[2].wirePath = ["outer_inner"]
        #expect(throws: SQLNameError.self) {
            try PostgresGenerator.files(for: [twice], options: PostgresOptions())
        }
        var other = Self.schema { $0 }
        other.name = "other"
        #expect(throws: SQLNameError.self) {
            try PostgresGenerator.files(for: [Self.schema { $0 }, other], options: PostgresOptions())
        }
    }
}
