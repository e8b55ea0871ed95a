import SyncCore

/// Generates values for a type and its constraints. Each number stands for a value: the same number gives the
/// same value.
struct ValueGenerator {
    let descriptor: EntityDescriptor
    /// What texts begin with.
    var word = "text "

    /// The default number of distinct values.
    static let width = 4

    /// A value from a seed; nil if none is valid.
    func value(type: FieldType, width: Int = width, seed: inout Seed) -> FieldValue? {
        value(type: type, number: Int.random(in: 1...width, using: &seed), width: width, seed: &seed)
    }

    /// A value of a field from a seed; nil if none is valid. A list in which elements must differ is in any order.
    func value(of field: FieldDescriptor, width: Int = width, seed: inout Seed) -> FieldValue? {
        guard field.hasUniqueItems,
            case .array(let element, let isNullable, _, let least, let most) = field.type
        else { return value(type: field.type, width: width, seed: &seed) }
        return list(
            element: element,
            isNullable: isNullable,
            isSet: false,
            isUnique: true,
            counts: (least ?? 0)...max(least ?? 0, most ?? .max),
            seed: &seed
        )
        .map { .json($0) }
    }

    /// The value of a number from 1; nil if none is valid. Lists and objects also use the seed.
    func value(type: FieldType, number: Int, width: Int = width, seed: inout Seed) -> FieldValue? {
        switch type {
        case .string(let minimum, let maximum, nil, let maxBytes):
            .text(
                Self.text(
                    word: word,
                    number: number,
                    minimum: minimum ?? 0,
                    maximum: min(maximum ?? .max, maxBytes ?? .max)
                )
            )
        case .string(let minimum, let maximum, let pattern?, let maxBytes):
            text(pattern: pattern, number: number, minimum: minimum ?? 0, maximum: maximum ?? .max)
                .flatMap { $0.utf8.count <= maxBytes ?? .max ? .text($0) : nil }
        case .integer(let minimum, let maximum):
            .integer(Self.integer(number: number, minimum: minimum, maximum: maximum))
        case .number(let minimum, let maximum):
            .number(Self.number(number: number, width: width, minimum: minimum, maximum: maximum))
        case .boolean: .boolean(number > width / 2)
        case .uuid: .text(Self.uuid(number: number))
        case .dateTime: .timestamp(Timestamp(microseconds: Int64(number) * 1_000_001))
        case .date: .text(Self.date(number: number))
        case .uri(let maximum): Self.uri(number: number, maximum: maximum ?? .max).map { .text($0) }
        case .decimal: .text("\(number).5")
        case .data: .bytes(number < 256 ? [UInt8(number)] : Array("\(number)".utf8))
        case .enumeration(let values): values.isEmpty ? nil : .text(values[number % values.count])
        case .array(let element, let isNullable, let isSet, let minimum, let maximum):
            list(
                element: element,
                isNullable: isNullable,
                isSet: isSet,
                isUnique: isSet,
                counts: (minimum ?? 0)...max(minimum ?? 0, maximum ?? .max),
                seed: &seed
            )
            .map { .json($0) }
        case .object([]): .json("{\"any\":[\(number),null]}")
        case .object(let fields): object(fields: fields, width: width, seed: &seed).map { .json($0) }
        case .map(let value, let isNullable):
            object(
                fields: ["a", "b"].map { FieldDescriptor(name: $0, type: value, isNullable: isNullable) },
                width: width,
                seed: &seed
            )
            .map { .json($0) }
        }
    }

    // MARK: Texts

    /// A text with a length in Unicode scalars that is different for each number, as far as there is room.
    static func text(word: String, number: Int, minimum: Int, maximum: Int) -> String {
        let digits = "\(number)"
        let spoken = word + digits
        let text = spoken.utf8.count <= maximum ? spoken : String(digits.suffix(max(0, maximum)))
        return text + String(repeating: "x", count: max(0, minimum - text.utf8.count))
    }

    private func text(pattern: String, number: Int, minimum: Int, maximum: Int) -> String? {
        guard let parsed = try? Pattern(pattern) else {
            // It is not checked.
            return Self.text(word: "text ", number: number, minimum: minimum, maximum: maximum)
        }
        let drawer = PatternText(parsed)
        var seed = Seed(UInt64(number))
        for attempt in 0..<32 {
            let slack = attempt < 16 ? 1 : min(1_000, max(4, minimum))
            let text = drawer.text(slack: slack, seed: &seed)
            // NB: a pattern without an end anchor leaves room to make the text longer.
            let missing = minimum - text.unicodeScalars.count
            let long = text + String(repeating: "x", count: max(0, missing))
            for text in [text, long] where minimum...max(minimum, maximum) ~= text.unicodeScalars.count {
                if descriptor.layout.patterns.matches(text: text, pattern: pattern) { return text }
            }
        }
        return nil
    }

    private static func uuid(number: Int) -> String {
        let digits = "\(number)"
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    }

    private static func date(number: Int) -> String {
        let (year, day) = (2025 + (number - 1) / 28 % 1_000, (number - 1) % 28 + 1)
        return "\(year)-01-\(day < 10 ? "0" : "")\(day)"
    }

    /// Nil if there is no room for a scheme and a colon.
    private static func uri(number: Int, maximum: Int) -> String? {
        guard maximum >= 2 else { return nil }
        let all = ["https://example.org/\(number)", "urn:x:\(number)", "x:\(number)"]
        let scheme = Array("abcdefghijklmnopqrstuvwxyz")[number % 26]
        return all.first { $0.utf8.count <= maximum } ?? "\(scheme):\("\(number)".suffix(maximum - 2))"
    }

    // MARK: Numbers

    static func integer(number: Int, minimum: Int64?, maximum: Int64?) -> Int64 {
        let below = maximum.map { $0 < 8 ? $0.subtractingReportingOverflow(8).partialValue : 0 } ?? 0
        let low = minimum ?? (below > maximum ?? .max ? Int64.min : below)
        let span = UInt64(bitPattern: max(low, maximum ?? .max) &- low)
        let offset = span >= UInt64(number) ? UInt64(number) : UInt64(number) % (span + 1)
        return low &+ Int64(bitPattern: offset)
    }

    static func number(number: Int, width: Int, minimum: Double?, maximum: Double?) -> Double {
        let step = Double(number) / 2
        let value: Double
        switch (minimum, maximum) {
        case (nil, nil): value = step
        case (let low?, nil): value = low + step
        case (nil, let high?): value = high - step
        case (let low?, let high?):
            let part = min(1, Double(number) / Double(max(1, width)))
            value = low * (1 - part) + high * part
        }
        let bounded = min(
            max(value, minimum ?? -.greatestFiniteMagnitude),
            maximum ?? .greatestFiniteMagnitude
        )
        // Negative zero is not a separate value.
        return bounded == 0 ? 0 : bounded
    }

    // MARK: Nested values

    private func list(
        element: FieldType,
        isNullable: Bool,
        isSet: Bool,
        isUnique: Bool,
        counts: ClosedRange<Int>,
        seed: inout Seed
    ) -> String? {
        let wanted = min(max(Int.random(in: 0...3, using: &seed), counts.lowerBound), counts.upperBound)
        var elements: [RecordKey] = []
        var known: Set<RecordKey> = []
        // More distinct values, because many elements must differ.
        let width = max(Self.width, 2 * counts.lowerBound)
        for _ in 0..<(wanted * 16) where elements.count < wanted {
            var json = "null"
            if !isNullable || Int.random(in: 0..<5, using: &seed) > 0 {
                guard let value = value(type: element, width: width, seed: &seed) else { continue }
                json = value.json
            }
            if known.insert(RecordKey(json)).inserted || !isUnique { elements.append(RecordKey(json)) }
        }
        guard elements.count >= counts.lowerBound else { return nil }
        return "[\((isSet ? elements.sorted() : elements).map(\.text).joined(separator: ","))]"
    }

    private func object(fields: [FieldDescriptor], width: Int, seed: inout Seed) -> String? {
        var writer = JSONWriter()
        writer.beginObject()
        for field in fields where field.isRequired || Bool.random(using: &seed) {
            let isNull = field.isNullable && Int.random(in: 0..<5, using: &seed) == 0
            let drawn = isNull ? FieldValue.null : value(of: field, width: width, seed: &seed)
            guard let json = drawn?.json ?? field.defaultJSON ?? (field.isNullable ? "null" : nil)
            else {
                if field.isRequired { return nil }
                continue
            }
            writer.name(field.name)
            writer.raw(json)
        }
        writer.endObject()
        return writer.text
    }
}
