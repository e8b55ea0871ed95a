import SyncCore

/// Edge values of a field, in canonical form.
struct EdgeValues {
    let descriptor: EntityDescriptor
    /// Texts for fields whose pattern no built-in edge value matches, by field name.
    let texts: [String: [String]]

    /// Texts that careless code may change: Unicode forms of a letter, control characters, line separators,
    /// quotes.
    private static let strings = [
        "plain", "caf\u{e9}", "cafe\u{301}", "\u{212a}", "K", "", " ", "a\u{0}b", "line\nbreak\r\n\ttab",
        "\"\\/'`",
        "\u{2028}\u{2029}\u{85}", "بِسْمِ ٱللَّهِ", "👩‍👩‍👧‍👦", "\u{feff}bom", "\u{202e}turned", "null", "-0", "1e5", "ﷺ",
    ]
    private static let instants: [Int64] = [
        0, 1, -1, 999_999, -999_999, 1_700_000_000_123_456, -2_208_988_800_000_001, 7_258_118_399_999_999,
        -62_135_596_800_000_000, 253_402_300_799_000_000, 951_782_400_500_000,
    ]
    private static let numbers: [Double] = [
        0, 1, -1, 0.1, -0.30000000000000004, .leastNonzeroMagnitude, 2.2250738585072014e-308,
        1.7976931348623157e308,
        9_007_199_254_740_992, 1e21, 123_456.789,
    ]
    private static let integers: [Int64] = [0, 1, -1, .max, .min, 9_007_199_254_740_993]
    private static let decimals = [
        "0", "0.1", "-0.01", "1234567890.12", "99999999999999999999999999999999999999",
        "-0.00000000000000000000000000000000000001", "1000000000000000000000000000000000000000000000000",
        "0.1234567890123456789012345678901234567",
    ]
    private static let dates = ["0001-01-01", "1582-10-15", "1969-12-31", "2024-02-29", "9999-12-31"]
    private static let uuids = [
        "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "379066e4-6dd5-4050-8470-004e08da28bd",
    ]

    /// All edge values of a field's type that its constraints allow.
    func values(of field: FieldDescriptor, seed: inout Seed) -> [FieldValue] {
        values(type: field.distinctType, name: field.name, seed: &seed)
    }

    private func values(type: FieldType, name: String, seed: inout Seed) -> [FieldValue] {
        switch type {
        case .string(let minimum, let maximum, let pattern, let maxBytes):
            return strings(name: name, minimum: minimum ?? 0, maximum: maximum, pattern: pattern)
                .filter { $0.utf8.count <= maxBytes ?? .max }.map { .text($0) }
        case .integer(let minimum, let maximum):
            let all = Self.integers + [minimum, maximum].compactMap { $0 }
            return all.filter { (minimum ?? .min)...(maximum ?? .max) ~= $0 }.map { .integer($0) }
        case .number(let minimum, let maximum):
            let all = Self.numbers + [minimum, maximum].compactMap { $0 }
            return all.filter { $0 >= minimum ?? -.infinity && $0 <= maximum ?? .infinity }.map {
                .number($0)
            }
        case .boolean: return [.boolean(true), .boolean(false)]
        case .uuid: return Self.uuids.map { .text($0) }
        case .dateTime: return Self.instants.map { .timestamp(Timestamp(microseconds: $0)) }
        case .date: return Self.dates.map { .text($0) }
        case .uri(let maximum):
            let all = ["https://u:p@[::1]:80/a%20b?c=d/?#e", "urn:x:%C3%A9", "urn:x:%c3%a9", "x:", "X:"]
            return all.filter { $0.unicodeScalars.count <= maximum ?? .max }.map { .text($0) }
        case .decimal: return Self.decimals.map { .text($0) }
        case .data: return [.bytes([]), .bytes([0]), .bytes(Array(0...255))]
        case .enumeration(let known):
            return (known + ["a value of tomorrow", "\u{212a}", "caf\u{e9}", "cafe\u{301}", ""]).map {
                .text($0)
            }
        case .array(let element, let isNullable, let isSet, let minimum, let maximum):
            let counts = [minimum ?? 0, (minimum ?? 0) + 1, 3, 7].filter {
                $0 <= maximum ?? .max && $0 >= minimum ?? 0
            }
            return counts.map { count in
                .json(
                    list(
                        element: element,
                        isNullable: isNullable,
                        isSet: isSet,
                        count: count,
                        name: name,
                        seed: &seed
                    )
                )
            }
        case .object(let fields):
            return (0..<4).map { _ in .json(object(fields: fields, seed: &seed)) }
        case .map(let value, let isNullable):
            let fields = ["", "/a", "caf\u{e9}"].map {
                FieldDescriptor(name: $0, type: value, isNullable: isNullable)
            }
            return (0..<4).map { _ in .json(object(fields: fields, holdsOthers: false, seed: &seed)) }
        }
    }

    /// One edge value of a type, for an element or a nested member.
    private func value(type: FieldType, name: String, seed: inout Seed) -> FieldValue? {
        switch type {
        case .array(let element, let isNullable, let isSet, let minimum, let maximum):
            let count = min(maximum ?? 3, max(minimum ?? 0, Int.random(in: 0...3, using: &seed)))
            return .json(
                list(
                    element: element,
                    isNullable: isNullable,
                    isSet: isSet,
                    count: count,
                    name: name,
                    seed: &seed
                )
            )
        case .object(let fields): return .json(object(fields: fields, seed: &seed))
        default: return values(type: type, name: name, seed: &seed).randomElement(using: &seed)
        }
    }

    private func strings(name: String, minimum: Int, maximum: Int?, pattern: String?) -> [String] {
        let long = String(repeating: "é", count: min(maximum ?? 100, 1000))
        let padded = Self.strings.map { text in
            text + String(repeating: "x", count: max(0, minimum - text.unicodeScalars.count))
        }
        let all = padded + [long] + (texts[name] ?? [])
        return all.filter { text in
            text.unicodeScalars.count <= maximum ?? .max && text.unicodeScalars.count >= minimum
                && pattern.map { descriptor.layout.patterns.matches(text: text, pattern: $0) } ?? true
        }
    }

    private func list(
        element: FieldType,
        isNullable: Bool,
        isSet: Bool,
        count: Int,
        name: String,
        seed: inout Seed
    ) -> String {
        var elements: [RecordKey] = []
        for _ in 0..<count {
            if isNullable, Int.random(in: 0..<3, using: &seed) == 0 {
                elements.append(RecordKey("null"))
            } else if let value = value(type: element, name: name, seed: &seed) {
                elements.append(RecordKey(value.json))
            }
        }
        if isSet { elements = Set(elements).sorted() }
        return "[\(elements.map(\.text).joined(separator: ","))]"
    }

    private func object(fields: [FieldDescriptor], holdsOthers: Bool = true, seed: inout Seed) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        for field in fields {
            if !field.isRequired, Int.random(in: 0..<3, using: &seed) == 0 { continue }
            writer.name(field.name)
            if field.isNullable, Int.random(in: 0..<3, using: &seed) == 0 {
                writer.null()
            } else if let value = value(type: field.distinctType, name: field.name, seed: &seed) {
                writer.raw(value.json)
            }
        }
        if holdsOthers, Bool.random(using: &seed) {
            writer.name("zz-unknown")
            writer.raw("{\"b\":1,\"a\":[1.50,null]}")
        }
        writer.endObject()
        return writer.text
    }
}

extension FieldDescriptor {
    /// The field's type, as a set where no element may be in a list twice.
    fileprivate var distinctType: FieldType {
        guard hasUniqueItems, case .array(let element, let isNullable, _, let least, let most) = type
        else { return type }
        return .array(
            element: element,
            elementIsNullable: isNullable,
            isSet: true,
            minItems: least,
            maxItems: most
        )
    }
}

/// Records with edge values: every edge value of every field, null, absent, and unknown members.
struct EdgeRecords {
    let descriptor: EntityDescriptor
    let texts: [String: [String]]

    /// Generates records from a seed. Throws if no value is found for the pattern of a required field.
    func records(seed number: UInt64) throws -> [Record] {
        let edges = EdgeValues(descriptor: descriptor, texts: texts)
        var seed = Seed(number)
        var columns: [[FieldValue?]] = []
        for field in descriptor.fields {
            var column: [FieldValue?] = edges.values(of: field, seed: &seed)
            if column.isEmpty, field.isRequired {
                throw SuiteViolation(
                    what: "no text fits the pattern of '\(field.name)'; give some",
                    descriptor: descriptor
                )
            }
            if field.isNullable { column.append(.null) }
            if !field.isRequired { column.append(nil) }
            columns.append(column)
        }
        let count = columns.map(\.count).max() ?? 0
        return (0..<count).map { row in
            let values = columns.map { $0[row % $0.count] }
            return Record(values: values, unknown: row % 2 == 0 ? [] : unknown)
        }
    }

    /// Members of a newer schema: a plain one, one that starts with a slash, and one in each flattened object.
    private var unknown: [UnknownField] {
        var paths = ["zz-unknown", "zz-e\u{301}", "zz-\u{e9}", "/~1zz"]
        for field in descriptor.fields where field.wirePath.count > 1 && !field.isLocalOnly {
            let parents = field.wirePath.dropLast().map {
                "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1")
            }
            let path = parents.joined() + "/zz-unknown"
            if !paths.contains(path) { paths.append(path) }
        }
        let sorted = paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return sorted.enumerated().map { index, path in
            UnknownField(
                path: path,
                json: ["{\"b\":1.50,\"a\":[null,\"\u{2028}\"]}", "null", "1e400", "\"\""][index % 4]
            )
        }
    }
}
