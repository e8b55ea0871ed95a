import SyncCore
import SyncSQLite

/// The full-text index of a table, and searches in its language.
struct SearchIndex {
    /// The FTS5 table's name, quoted.
    let name: String
    private let descriptor: EntityDescriptor
    private let fields: [String]

    /// Throws `noSearch` if the schema asks for none.
    init(table: EntityTable) throws {
        guard !table.shape.search.isEmpty else { throw SyncError.noSearch(entity: table.descriptor.name) }
        descriptor = table.descriptor
        fields = table.shape.search
        name = try SearchTable(descriptor: descriptor, fields: fields).name
    }

    /// The numbers of rows that a search finds, as an SQL list.
    func rows(_ text: TextSearch, parameters: inout QueryParameters) throws -> String {
        guard let match = try match(text) else { return "()" }
        return "(SELECT rowid FROM \(name) WHERE \(name) MATCH \(parameters.add(.text(match))))"
    }

    /// A search in FTS5's language (sqlite.org/fts5.html, section 3); nil if it finds nothing.
    func match(_ text: TextSearch) throws -> String? {
        guard !text.isEmpty else { return nil }
        let clauses = text.clauses.map { "(\($0.map(Self.phrase).joined(separator: " OR ")))" }
        var match = "(\(clauses.joined(separator: " AND ")))"
        if !text.excluded.isEmpty {
            match = "(\(match) NOT (\(text.excluded.map(Self.phrase).joined(separator: " OR "))))"
        }
        guard let searched = text.fields else { return match }
        let columns = try searched.map { SearchTable.column(number: try number(of: $0)) }
        return columns.isEmpty ? nil : "{\(columns.joined(separator: " "))} : \(match)"
    }

    /// The ranking function with the weights of the fields, as FTS5 reads it.
    func ranking(weights: [String: Double]) throws -> String {
        for field in weights.keys { _ = try number(of: field) }
        return "bm25(\(fields.map { String(weights[$0] ?? 1) }.joined(separator: ", ")))"
    }

    /// The searched fields and the number of each one's column.
    var columns: [(field: String, number: Int)] { fields.enumerated().map { ($1, $0) } }

    private func number(of field: String) throws -> Int {
        guard let number = fields.firstIndex(where: { $0.hasSameBytes(as: field) }) else {
            throw SyncError.notSearched(entity: descriptor.name, field: field)
        }
        return number
    }

    private static func phrase(_ term: TextSearch.Term) -> String {
        "\"\(term.text.replacing("\"", with: "\"\""))\"\(term.isPrefix ? " *" : "")"
    }
}
