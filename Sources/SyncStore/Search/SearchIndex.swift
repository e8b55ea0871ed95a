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
        let texts = try fields.map { field in
            guard let text = Self.decimal(weight: weights[field] ?? 1) else {
                throw SyncError.weightOutOfRange(entity: descriptor.name, field: field)
            }
            return text
        }
        return "bm25(\(texts.joined(separator: ", ")))"
    }

    /// A weight to nine digits after the point, because FTS5 reads no exponents; nil if it is out of range.
    private static func decimal(weight: Double) -> String? {
        guard (-StoreSearch.highestWeight...StoreSearch.highestWeight).contains(weight) else { return nil }
        let parts = Int64((abs(weight) * 1e9).rounded()).quotientAndRemainder(dividingBy: 1_000_000_000)
        let fraction = String(parts.remainder)
        let zeros = String(repeating: "0", count: 9 - fraction.count)
        return "\(weight < 0 ? "-" : "")\(parts.quotient).\(zeros)\(fraction)"
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
        // NB: by scalars, because a quote with a combining mark is another character than a quote.
        var text = String.UnicodeScalarView()
        for scalar in term.text.unicodeScalars {
            if scalar == "\"" { text.append(scalar) }
            text.append(scalar)
        }
        return "\"\(String(text))\"\(term.isPrefix ? " *" : "")"
    }
}
