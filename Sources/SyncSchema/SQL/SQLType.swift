/// The type of a column in PostgreSQL.
///
/// Read from text such as `varchar(40)`, `timestamp without time zone`, `text[]` or `public.mood`. What is not one of
/// the known types, nor a name with its schema, is no type, so that a type never brings SQL of its own.
public struct SQLType: Sendable, Hashable {
    /// The type without its arguments.
    public var base: Base
    /// Length, or precision and scale.
    public var arguments: [Int] = []
    /// Whether the column holds an array of the type.
    public var isArray = false

    /// The types that a column can have.
    public enum Base: Sendable, Hashable {
        case text, varchar, smallint, integer, bigint, numeric, real, double, boolean, uuid
        case timestamptz, timestamp, date, bytea, json, jsonb
        /// A type of the database, such as an enum, with its schema.
        case named(schema: String, name: String)
    }

    /// Makes a type without arguments.
    public init(_ base: Base, isArray: Bool = false) {
        self.base = base
        self.isArray = isArray
    }

    /// Reads a type; nil if it is none.
    public init?(_ text: String) {
        var rest = text.lowercased().split(separator: " ").joined(separator: " ")
        if rest.hasSuffix("[]") {
            isArray = true
            rest.removeLast(2)
        }
        if let open = rest.firstIndex(of: "("), let close = rest.firstIndex(of: ")"), open < close {
            let numbers = rest[rest.index(after: open)..<close].split(
                separator: ",",
                omittingEmptySubsequences: false
            )
            arguments = numbers.compactMap { Int($0.filter { $0 != " " }) }
            guard arguments.count == numbers.count, arguments.allSatisfy({ 0...10_000_000 ~= $0 }) else {
                return nil
            }
            rest.removeSubrange(open...close)
        }
        rest = rest.split(separator: " ").joined(separator: " ")
        if let base = Self.names[rest] {
            self.base = base
            guard arguments.count <= Self.mostArguments(of: base) else { return nil }
            return
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, arguments.isEmpty, !isArray,
            parts.allSatisfy({ SQLName.isSound($0) && $0.allSatisfy { $0 != " " } })
        else { return nil }
        base = .named(schema: parts[0], name: parts[1])
    }

    private static let names: [String: Base] = [
        "text": .text, "varchar": .varchar, "character varying": .varchar, "smallint": .smallint,
        "int2": .smallint, "integer": .integer, "int": .integer, "int4": .integer, "bigint": .bigint,
        "int8": .bigint, "numeric": .numeric, "decimal": .numeric, "real": .real, "float4": .real,
        "double precision": .double, "float8": .double, "boolean": .boolean, "bool": .boolean, "uuid": .uuid,
        "timestamptz": .timestamptz, "timestamp with time zone": .timestamptz, "timestamp": .timestamp,
        "timestamp without time zone": .timestamp, "date": .date, "bytea": .bytea, "json": .json,
        "jsonb": .jsonb,
    ]

    private static func mostArguments(of base: Base) -> Int {
        switch base {
        case .varchar, .timestamptz, .timestamp: 1
        case .numeric: 2
        default: 0
        }
    }
}

extension SQLType {
    /// Whether a column of this type can hold every value of a field's type, or refuses those that it cannot.
    func fits(_ type: SchemaType) -> Bool {
        if isArray {
            guard case .array(let item, _, _, _) = type, !item.isNullable else { return false }
            return switch item.type {
            case .dateTime, .decimal, .data, .array, .object, .map: false
            default: SQLType(base).fits(item.type)
            }
        }
        return Self.bases(for: type).contains(base) || isNamed && Self.takesNamed(type)
    }

    private var isNamed: Bool { if case .named = base { true } else { false } }

    private static func takesNamed(_ type: SchemaType) -> Bool {
        switch type {
        case .string: true
        case .enumeration(let type): !type.isInteger
        default: false
        }
    }

    private static func bases(for type: SchemaType) -> [Base] {
        switch type {
        case .string: [.text, .varchar, .uuid]
        case .enumeration(let type) where type.isInteger: bases(for: .integer(minimum: nil, maximum: nil))
        case .uri, .enumeration: [.text, .varchar]
        case .integer: [.bigint, .integer, .smallint, .numeric]
        case .number: [.double, .real, .numeric]
        case .boolean: [.boolean]
        case .uuid: [.uuid, .text, .varchar]
        case .dateTime: [.timestamptz, .timestamp]
        case .date: [.date]
        case .decimal: [.numeric, .text]
        case .data: [.bytea]
        case .array, .object, .map: [.jsonb, .json]
        }
    }

    /// What a message proposes for a field's type.
    static func proposals(for type: SchemaType) -> [String] {
        var names = bases(for: type).map { base in
            Self.names.filter { $0.value == base }.map(\.key).max { $0.count < $1.count } ?? ""
        }
        if case .array(let item, _, _, _) = type, let first = bases(for: item.type).first {
            let array = Self.names.filter { $0.value == first }.map(\.key).sorted().last ?? "text"
            let type = array + "[]"
            if SQLType(type)?.fits(.array(item: item, isSet: false, minItems: nil, maxItems: nil)) == true {
                names.append(type)
            }
        }
        return names
    }
}

/// Names in SQL.
enum SQLName {
    /// Whether PostgreSQL keeps a name as it is: 1 to 63 bytes, and no control character.
    static func isSound(_ name: String) -> Bool {
        1...63 ~= name.utf8.count && name.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    }
}
