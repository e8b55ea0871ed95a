import Foundation
import SyncCore

/// Values of fields as a person reads them: in the formats of a locale and in words, never as JSON.
struct FieldWords {
    /// The words.
    let texts: ConflictTexts
    /// The formats of numbers, dates and lists.
    let locale: Locale
    /// The time zone of instants. A calendar date has none.
    let timeZone: TimeZone

    /// A value of a field of this type; nil for none.
    func text(_ value: FieldValue, type: FieldType) -> String? {
        switch value {
        case .null: nil
        case .boolean(let value): value ? texts.yes : texts.no
        case .integer(let value): value.formatted(IntegerFormatStyle<Int64>(locale: locale))
        // 17 digits tell all doubles apart; those that a shorter text says as well are left out.
        case .number(let value):
            value.formatted(
                FloatingPointFormatStyle<Double>(locale: locale).precision(.significantDigits(1...17))
            )
        case .timestamp(let time):
            date(seconds: Double(time.microseconds) / 1_000_000, time: .standard, in: timeZone)
        case .bytes(let bytes):
            Int64(bytes.count).formatted(ByteCountFormatStyle(style: .file, locale: locale))
        case .text(let text): words(text, type: type)
        case .json(let json): structured(json: json, type: type)
        }
    }

    /// What tells a value from another one that reads the same, such as a time within the same second; nil if nothing
    /// that a person could read does.
    func exact(value: FieldValue) -> String? {
        switch value {
        case .timestamp(let time): time.description
        case .text(let text): text
        default: nil
        }
    }

    private func words(_ text: String, type: FieldType) -> String {
        switch type {
        case .date:
            CalendarDate(text).map {
                date(seconds: Double($0.daysSince1970) * 86_400, time: .omitted, in: .gmt)
            } ?? text
        case .decimal: DecimalText.decimal(text: text).map(number) ?? text
        case .enumeration: Words.sentence(name: text)
        default: text.isEmpty ? texts.emptyText : text
        }
    }

    private func number(value: Decimal) -> String {
        value.formatted(Decimal.FormatStyle(locale: locale).precision(.fractionLength(0...128)))
    }

    private func date(seconds: Double, time: Date.FormatStyle.TimeStyle, in zone: TimeZone) -> String {
        let style = Date.FormatStyle(
            date: .long,
            time: time,
            locale: locale,
            calendar: locale.calendar,
            timeZone: zone
        )
        return Date(timeIntervalSince1970: seconds).formatted(style)
    }

    /// A list, a map or an object. One that cannot be read, which no store holds, has no words.
    private func structured(json: String, type: FieldType) -> String? {
        switch type {
        case .array(let element, _, _, _, _):
            (try? FieldJSON.elements(of: json, element: element)).map { list(elements: $0, of: element) }
        case .map(let value, _): (try? members(json) { try members(json: $0, type: value) })
        case .object(let fields) where !fields.isEmpty: try? object(json: json, fields: fields)
        default: free(json)
        }
    }

    private func list(elements: [FieldValue], of type: FieldType) -> String {
        let words = elements.map { text($0, type: type) ?? texts.noValue }
        if words.isEmpty { return texts.emptyList }
        guard !type.isStructured else { return words.joined(separator: "\n") }
        return words.formatted(
            ListFormatStyle<StringStyle, [String]>.list(type: .and, width: .narrow).locale(locale)
        )
    }

    private func object(json: String, fields: [FieldDescriptor]) throws -> String {
        let record = try FieldJSON.object(text: json, fields: fields)
        let known = zip(fields, record.values).compactMap { field, value in
            value.flatMap { text($0, type: field.type) }.map { field.label + ": " + $0 }
        }
        return joined(known + others(of: record, words: free))
    }

    /// The members of an object without fields of its own.
    private func members(_ json: String, words: (_ json: String) throws -> String?) throws -> String {
        joined(try others(of: FieldJSON.object(text: json, fields: []), words: words))
    }

    private func others(of record: Record, words: (_ json: String) throws -> String?) rethrows -> [String] {
        try record.unknown.compactMap { member in
            try words(member.json).map { Words.sentence(name: member.path) + ": " + $0 }
        }
    }

    private func members(json: String, type: FieldType) throws -> String? {
        try FieldJSON.elements(of: "[\(json)]", element: type).first.flatMap { text($0, type: type) }
    }

    private func joined(_ parts: [String]) -> String {
        parts.isEmpty ? texts.emptyList : parts.joined(separator: ", ")
    }

    /// A value that no type describes; nil for none.
    private func free(_ json: String) -> String? {
        switch json.utf8.first {
        case UInt8(ascii: "{"): try? members(json, words: free)
        case UInt8(ascii: "["):
            (try? FieldJSON.elements(of: json, element: .object([]))).map {
                list(elements: $0, of: .object([]))
            }
        case UInt8(ascii: "\""): try? members(json: json, type: .string())
        case UInt8(ascii: "t"), UInt8(ascii: "f"): try? members(json: json, type: .boolean)
        case UInt8(ascii: "n"): nil
        default: DecimalText.decimal(text: json).map(number) ?? json
        }
    }
}
