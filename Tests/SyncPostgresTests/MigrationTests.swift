import Foundation
import SyncPostgres
import SyncSchema
import Testing

/// What a change of schemas needs as SQL.
@Suite struct MigrationTests {
    private func schema(
        fields: String,
        required: [String] = ["id"],
        name: String = "note",
        sync: String = ""
    ) throws -> Schema {
        let text = """
            {"title":"\(name == "note" ? "Note" : "Other")Record","type":"object","properties":{
            "id":{"type":"string"}\(fields.isEmpty ? "" : "," + fields)},
            "required":[\(required.map { "\"\($0)\"" }.joined(separator: ","))],
            "sync":{"key":"id","strategy":"last-write-wins"\(sync.isEmpty ? "" : "," + sync)}}
            """
        let source = SchemaSource(path: "\(name).schema.json", bytes: Array(text.utf8))
        return try #require(Samples.check([source]).first)
    }

    private func changes(from old: Schema..., to new: Schema...) throws -> String {
        try PostgresGenerator.changes(for: new, from: old, options: PostgresOptions())
    }

    private let text = #""title":{"type":"string"}"#

    @Test func equalSchemasNeedNothing() throws {
        #expect(try changes(from: schema(fields: text), to: schema(fields: text)).isEmpty)
    }

    @Test func aNewFieldIsANewColumn() throws {
        let sql = try changes(from: schema(fields: ""), to: schema(fields: text))
        #expect(sql.contains(#"alter table "public"."note" add column if not exists "title" text;"#))
    }

    @Test func aNewRequiredFieldWithoutDefaultDemandsNothingOfRowsThatAreThere() throws {
        let sql = try changes(from: schema(fields: ""), to: schema(fields: text, required: ["id", "title"]))
        #expect(sql.contains(#"add column if not exists "title" text;"#))
        #expect(!sql.contains("not null"))
    }

    @Test func noColumnAndNoRowIsRemoved() throws {
        let fields = text + #","count":{"type":"integer"},"old":{"type":"boolean"}"#
        let before = try schema(fields: fields, required: ["id", "old"], sync: #""indexes":[["count"]]"#)
        let other = try schema(fields: "", name: "other")
        let sql = try changes(from: before, other, to: schema(fields: #""count":{"type":"number"}"#))
        for word in ["drop column", "drop table", "delete from", "truncate "] { #expect(!sql.contains(word)) }
        #expect(sql.contains(#"alter table "public"."note" alter column "old" drop not null;"#))
        #expect(sql.contains(#"drop trigger if exists entitysync_track on "public"."other";"#))
        #expect(sql.contains(#"drop index if exists "public"."note_count_sync";"#))
    }

    /// Otherwise the value would be gone for apps that still know the field.
    @Test func aValueThatLosesItsColumnStaysInTheBodyFirst() throws {
        let sql = try changes(from: schema(fields: text), to: schema(fields: ""))
        let kept = try #require(sql.range(of: "update entitysync.state as s set body"))
        #expect(sql[kept.lowerBound...].contains(#"entitysync."note_json"("$t")"#))
    }

    @Test func aRenamedFieldTakesItsColumnAndItsMembersAlong() throws {
        let renamed = #""heading":{"type":"string","sync":{"renamedFrom":"title"}}"#
        let sql = try changes(from: schema(fields: text), to: schema(fields: renamed))
        #expect(sql.contains(#"rename column "title" to "heading";"#))
        #expect(sql.contains("jsonb_set(s.body::jsonb #- array['title'], array['heading']"))
        #expect(!sql.contains("add column"))
    }

    @Test func aFieldThatKeepsItsNameOnTheWireNeedsNothing() throws {
        let renamed = #""heading":{"type":"string","sync":{"renamedFrom":"title","name":"title"}}"#
        #expect(try changes(from: schema(fields: text), to: schema(fields: renamed)).isEmpty)
    }

    @Test func otherKeysAreOtherRecords() throws {
        func schema(key: String) throws -> Schema {
            let text = """
                {"title":"NoteRecord","type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
                "required":["a","b"],"sync":{"key":"\(key)","strategy":"last-write-wins"}}
                """
            return try #require(
                Samples.check([SchemaSource(path: "note.schema.json", bytes: Array(text.utf8))]).first
            )
        }
        let (old, new) = (try schema(key: "a"), try schema(key: "b"))
        #expect(throws: SQLMigrationError.self) { try changes(from: old, to: new) }
    }

    @Test func aMigrationTakesThePlaceOfTheEntities() throws {
        let (old, new) = (try schema(fields: ""), try schema(fields: text))
        let files = try PostgresGenerator.files(for: [new], from: [old], options: PostgresOptions())
        #expect(files.map(\.name) == ["10-entitysync.sql", "20-migration.sql"])
        let whole = try PostgresGenerator.files(for: [new], options: PostgresOptions())
        #expect(files[0] == whole[0])
        #expect(files[1].contents.contains(#"create or replace function entitysync."note_write""#))
        #expect(!files[1].contents.contains("create table"))
    }
}
