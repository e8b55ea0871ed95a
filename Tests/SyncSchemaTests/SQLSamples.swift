import Testing

@testable import SyncSchema

/// Samples of `sql` in an entity's `sync`.
enum SQLSamples {
    static let all: [Sample] = [
        .sync(#""sql":{}"#), .sync(#""sql":▸[]"#, rules: "keyword-type"),
        .sync(#""sql":{"table":"items","owner":"user_id","columns":{},"$comment":"as it is"}"#),
        .sync(#""sql":{"table":"app.items"}"#), .sync(#""sql":{"table":▸"a.b.c"}"#, rules: "sql-name"),
        .sync(#""sql":{"table":▸""}"#, rules: "sql-name"),
        .sync(#""sql":{"table":▸"a."}"#, rules: "sql-name"),
        .sync(#""sql":{"owner":▸"a\u0007"}"#, rules: "sql-name"),
        .sync(#""sql":{"owner":▸"\#(String(repeating: "é", count: 32))"}"#, rules: "sql-name"),
        .sync(#""sql":{"onAlter":"reject"}"#), .sync(#""sql":{"onAlter":"journal"}"#),
        .sync(#""sql":{"onAlter":▸"refuse"}"#, rules: "unknown-on-alter"),
        .sync(#""sql":{"onAlter":▸true}"#, rules: "keyword-type"),
        .sync(#""sql":{▸"tabel":"x"}"#, rules: "unknown-keyword"),
        .sync(#""sql":{▸"ownerVia":"parentId"}"#, rules: "unsupported-keyword"),
        .sync(#""sql":{"columns":{▸"txt":"text"}}"#, rules: "unknown-field"),
        .sync(#""sql":{"columns":{"here":▸"text"}}"#, rules: "local-only-role"),
        .sync(#""sql":{"columns":{"text":▸7}}"#, rules: "not-a-schema"),
        .sync(
            #""sql":{"columns":{"text":{"name":"words","type":"varchar(20)"},"maybe":{"name":▸""}}}"#,
            rules: "sql-name"
        ),
        .sync(#""sql":{"columns":{"text":"public.mood","whole":"int","real":"numeric(8, 2)","uid":"text"}}"#),
        .sync(
            #""sql":{"columns":{"at":"timestamp","at2":"timestamp(3) without time zone","amount":"decimal(12,2)"}}"#
        ),
        .sync(
            #""sql":{"columns":{"tags":"text[]","list":"json","part":"JSONB","blob":"bytea","day":"date"}}"#
        ),
        .sync(#""sql":{"columns":{"grade":"smallint","grades":"int[]"}}"#),
        .sync(
            #""sql":{"columns":{"grade":▸"public.mood","grades":▸"text[]"}}"#,
            rules: "sql-type",
            "sql-type"
        ),
        .sync(#""sql":{"columns":{"text":▸"texts"}}"#, rules: "sql-type"),
        .sync(#""sql":{"columns":{"text":▸"text; drop table x"}}"#, rules: "sql-type"),
        .sync(#""sql":{"columns":{"text":▸"varchar(a)"}}"#, rules: "sql-type"),
        .sync(#""sql":{"columns":{"text":▸"text[]"}}"#, rules: "sql-type"),
        .sync(#""sql":{"columns":{"whole":▸"text"}}"#, rules: "sql-type"),
        .sync(#""sql":{"columns":{"amount":▸"double precision"}}"#, rules: "sql-type"),
        .sync(#""sql":{"columns":{"at":▸"date"}}"#, rules: "sql-type"),
        .sync(#""sql":{"columns":{"part":▸"text[]"}}"#, rules: "sql-type"),
    ]
}

@Suite struct SQLTypeTests {
    @Test(arguments: [
        "text", "varchar(20)", "numeric(12,2)", "timestamp without time zone", "text[]", "public.mood",
        "public.Mood", "double precision",
    ])
    func typesOfPostgreSQLAreRead(text: String) {
        #expect(SQLType(text) != nil)
    }

    /// A type goes into SQL as it is, so nothing but a type may be read as one.
    @Test(arguments: [
        "", "()", "text(", "text)(", "text[][]", "text[3]", "int(3)", "varchar(1,2)", "varchar(-1)", "a b.c",
        ".a",
        "a.", "a.b.c", "public.mood[]", "text--", "text/**/", "text;", "varchar(99999999999999999999)",
    ])
    func whatIsNoTypeIsRefused(text: String) {
        #expect(SQLType(text) == nil)
    }
}
