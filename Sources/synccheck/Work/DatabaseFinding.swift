import EntitySync
import SyncCore
import SyncPostgresServer
import SyncSchema

/// Something that is not as it should be in a database.
struct DatabaseFinding {
    /// Whether records are not synced or not protected. Otherwise something may surprise.
    var isError: Bool
    /// The entity; nil for the database as a whole.
    var entity: String?
    /// What was found.
    var text: String
    /// What to do.
    var help: String

    /// Looks at a database. Throws `SyncError` if it cannot be reached or asked.
    static func all(url text: String, schemas: [Schema]) throws -> [DatabaseFinding] {
        #if Server
            guard let url = PostgresURL(text) else { throw SyncError.badDatabaseURL }
            return try DatabaseReport.read(url: url, schemas: schemas).findings.map {
                DatabaseFinding(isError: $0.isError, entity: $0.entity, text: $0.text, help: $0.help)
            }
        #else
            throw SyncError.withoutDatabase
        #endif
    }

    /// The findings for people.
    static func text(_ findings: [DatabaseFinding]) -> String {
        if findings.isEmpty {
            return "All is well: tables, policies, triggers and rows are as the schemas say.\n"
        }
        return findings.map { finding in
            let place = finding.entity.map { "\($0.visible): " } ?? ""
            return
                "\(place)\(finding.isError ? "error" : "warning"): \(finding.text.visible)\nhelp: \(finding.help.visible)\n"
        }.joined()
    }

    /// Writes the findings for scripts: `{"findings":[{"severity","entity","finding","help"}]}`.
    static func write(_ findings: [DatabaseFinding], to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("findings")
        writer.beginArray()
        for finding in findings {
            writer.beginObject()
            writer.member(name: "severity", text: finding.isError ? "error" : "warning")
            writer.member(name: "entity", text: finding.entity)
            writer.member(name: "finding", text: finding.text)
            writer.member(name: "help", text: finding.help)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
