import Testing

/// What the compiler says about a query that cannot be.
@Suite struct MisspeltQueryTests {
    private static func errors(_ query: String) throws -> [String] {
        let modules = ["EntitySync", "SyncEntities"].map { "import \($0)\n" }.joined()
        return try AppProgram.errors(of: modules + "let query = SyncQuery<Bookmark>()\(query)")
    }

    @Test(arguments: [
        ".filter(Bookmark.Fields.surahNumbr == 2)", ".filter(Bookmark.Fields.note == nil)",
        ".filter(Bookmark.Fields.notess.hasPrefix(\"a\"))", ".filter(Bookmark.Fields.surah.isIn(1...2))",
        ".sort(by: Bookmark.Fields.createdAtt)",
        ".filter(Bookmark.Fields.surahNumbr < 2 && Bookmark.Fields.notes == nil)",
    ])
    func aNameThatNoFieldHasIsAnsweredWithTheNamesOfAll(query: String) throws {
        let errors = try Self.errors(query)
        let names = "Bookmark has no such field. It has: id, userId, surahNumber,"
        #expect(errors.contains { $0.contains(names) && $0.contains("notes") }, "\(errors)")
    }

    @Test(arguments: [".filter(Bookmark.Fields.tags < [\"a\"])", ".sort(by: Bookmark.Fields.tags)"])
    func valuesWithoutAnOrderAreSaidSo(query: String) throws {
        let errors = try Self.errors(query)
        #expect(errors.contains { $0.contains("The values have no order.") }, "\(errors)")
    }

    @Test func whatIsRightCompiles() throws {
        let errors = try Self.errors(
            ".filter(Bookmark.Fields.surahNumber < 2, Bookmark.Fields.notes == nil).sort(by: Bookmark.Fields.createdAt)"
        )
        #expect(errors.isEmpty, "\(errors)")
    }
}
