import Testing

@testable import SyncSchema

/// Names derived from other names.
@Suite struct NamingTests {
    @Test(arguments: [
        ("surahNumber", "surah_number"), ("userID", "user_id"), ("htmlURLPath", "html_url_path"),
        ("userIDs", "user_ids"),
        ("URLs", "urls"), ("id", "id"), ("ID", "id"), ("address2Line", "address2_line"),
        ("sha256Hash", "sha256_hash"),
        ("v2API", "v2_api"), ("user_id", "user_id"), ("User_ID", "user_id"), ("iOSVersion", "i_os_version"),
        ("aB", "a_b"), ("isHTTPSEnabled", "is_https_enabled"), ("a__b_", "a_b"), ("x1y2", "x1y2"),
    ])
    func writesSnakeCase(_ name: String, expected: String) {
        #expect(Words.snakeCase(name: name) == expected)
    }

    @Test(arguments: [
        ("surah_number", "surahNumber"), ("surahNumber", "surahNumber"), ("user_id", "userId"),
        ("userID", "userID"),
        ("a_b_c", "aBC"), ("x", "x"), ("User_name", "userName"),
    ])
    func writesCamelCase(_ name: String, expected: String) {
        #expect(Words.camelCase(name: name) == expected)
    }

    @Test(arguments: [
        ("splits", "split"), ("payers", "payer"), ("categories", "category"), ("addresses", "address"),
        ("boxes", "box"),
        ("statuses", "status"), ("status", "status"), ("class", "class"), ("series", "series"),
        ("people", "person"),
        ("teamPeople", "teamPerson"), ("children", "child"), ("data", "data"), ("houses", "house"),
        ("ties", "tie"),
    ])
    func findsTheSingular(name: String, expected: String) {
        #expect(Words.singular(name: name) == expected)
    }

    @Test func namesEnumCases() {
        let values = [
            "inProgress", "in-progress", "IN_PROGRESS", "rfq", "RFQ", "1st", "1", "-1", "", "مرحبا", "café",
            "unknown", "none",
            "default", "self", "a b", "HTTPError", "\"; DROP TABLE x", "😀", "rawValue",
        ]
        var names = EnumCaseNames()
        #expect(
            values.enumerated().map { names.claim($1, position: $0 + 1) } == [
                "inProgress", "inProgress2", "inProgress3", "rfq", "rfq2", "value1st", "value1", "value1_2",
                "value9", "value10",
                "cafe", "unknownValue", "noneValue", "default", "selfValue", "aB", "httpError", "dropTableX",
                "value19",
                "rawValueValue",
            ]
        )
    }

    @Test func givesEveryNestedTypeAnotherName() {
        let names = TypeNames(entityType: "Item")
        names.reserve(names: ["Size"])
        #expect(names.claim("Status", parent: nil) == "Status")
        #expect(names.claim("Status", parent: "Part") == "PartStatus")
        #expect(names.claim("Status", parent: nil) == "StatusValue")
        #expect(names.claim("Status", parent: nil) == "StatusValue2")
        #expect(names.claim("Data", parent: nil) == "DataValue")
        #expect(names.claim("Item", parent: nil) == "ItemValue")
        #expect(names.claim("ItemDTO", parent: nil) == "ItemDTOValue")
        #expect(names.claim("Size", parent: nil) == "SizeValue")
        #expect(names.claim("Type", parent: nil) == "TypeValue")
        #expect(names.claim("", parent: nil) == "Value")
    }

    @Test func suggestsOnlyWhatIsNear() {
        #expect(NearestName.find("stratgy", among: ["strategy", "version"]) == "strategy")
        #expect(NearestName.find("Strategy", among: ["strategy"]) == "strategy")
        #expect(NearestName.find("kye", among: ["key"]) == "key")
        #expect(NearestName.find("x", among: ["y"]) == nil)
        #expect(NearestName.find("completely", among: ["different"]) == nil)
        #expect(NearestName.find("ab", among: ["ac", "aa"]) == "aa")
    }

    @Test(arguments: [
        ("item.schema.json", "item"), ("a/b/read-status.schema.json", "read-status"),
        ("x2-y.schema.json", "x2-y"),
        ("Item.schema.json", nil), ("item.json", nil), ("-a.schema.json", nil), ("a--b.schema.json", nil),
        ("a-.schema.json", nil), ("2a.schema.json", nil), (".schema.json", nil), ("é.schema.json", nil),
        ("", nil),
    ])
    func readsTheEntityNameFromTheFileName(_ path: String, expected: String?) {
        #expect(EntityName.fromPath(path: path) == expected)
    }
}
