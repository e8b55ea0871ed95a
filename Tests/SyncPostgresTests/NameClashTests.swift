import SyncPostgres
import SyncSchema
import Testing

/// What PostgreSQL or the functions of the runtime have already is no table's, column's or function's name.
@Suite struct NameClashTests {
    private func schema(_ name: String, field: String = "text", table: String? = nil) -> Schema {
        Schema(
            name: name,
            typeName: "Thing",
            properties: [
                Property(
                    name: "id",
                    wirePath: ["id"],
                    type: .string(minLength: nil, maxLength: nil, pattern: nil),
                    isRequired: true
                ),
                Property(name: field, wirePath: [field], type: .integer(minimum: nil, maximum: nil)),
            ],
            key: ["id"],
            strategy: .lastWriteWins,
            sql: table.map { SQLTable(table: $0) }
        )
    }

    private func sql(_ schemas: Schema...) throws -> String {
        try PostgresGenerator.files(for: schemas, options: PostgresOptions(isStandAlone: true)).map(
            \.contents
        ).joined()
    }

    @Test(arguments: ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"])
    func aColumnThatEachTableHasIsRefused(name: String) throws {
        let error = #expect(throws: SQLNameError.self) { try sql(schema("box", field: name)) }
        #expect(error?.reason == .reserved && error?.name == name && error?.entity == "box")
    }

    @Test func tablesOfTwoSchemasMayHaveOneName() throws {
        let text = try sql(schema("a", table: "one.areas"), schema("b", table: "two.areas"))
        #expect(text.contains(#""one"."areas""#) && text.contains(#""two"."areas""#))
        #expect(throws: SQLNameError.self) {
            try sql(schema("a", table: "one.areas"), schema("b", table: "one.areas"))
        }
    }

    /// An entity for each beginning of a function's name of the runtime.
    @Test func noEntityTakesTheNameOfAFunctionForAll() throws {
        func functions(_ text: String) -> [Substring] {
            text.split(separator: "create or replace function entitysync.").dropFirst().map { part in
                // Names and types of the arguments, without quotation marks.
                part.prefix { $0 != ")" }
            }
        }
        let runtime = try Set(functions(sql(schema("thing"))).map { $0.prefix { $0 != "(" } })
        let beginnings = Set(
            runtime.filter { !$0.hasPrefix("\"") }.flatMap { name in
                name.indices.filter { name[$0] == "_" }.map { String(name[..<$0]) }
            }
        )
        try #require(beginnings.count > 20 && beginnings.contains("try"))
        for name in beginnings.sorted() where name.first?.isLetter == true {
            let all = try functions(sql(schema(name.replacing("_", with: "-")))).map { head in
                head.replacing("\"", with: "").split(separator: "(", maxSplits: 1).enumerated().map {
                    $0.offset == 0 ? String($0.element) : types(String($0.element))
                }.joined(separator: "(")
            }
            let twice = Dictionary(grouping: all) { $0 }.filter { $0.value.count > 1 }.keys
            #expect(twice.isEmpty, "\(name)")
        }
    }

    /// The types of arguments, which alone distinguish functions of one name.
    private func types(_ arguments: String) -> String {
        arguments.split(separator: ",").map { argument in
            argument.split(whereSeparator: \.isWhitespace).dropFirst().prefix { $0 != "default" }.joined(
                separator: " "
            )
        }.joined(separator: ",")
    }
}
