import SyncSchema

/// What the generated SQL alone does not check. `syncserver` and the devices check all of it: what comes past them, from
/// PostgREST or another program, is stored, and each device sets such a record aside with the reason.
extension PostgresGenerator {
    /// Lines of a comment, one per field in the order of the schema; none if all is checked. A field is `tags[]` for the
    /// elements of a list, `place.zip` for a field inside, `scores.*` for the values of a map.
    static func uncheckedRules(of schema: Schema) -> [String] {
        schema.properties.filter { !$0.isLocalOnly }
            .flatMap { rules(of: $0, field: $0.name, isColumn: true) }
            .map { rule in
                // What would end the line is left out.
                let field = rule.field.unicodeScalars.filter { $0.value >= 0x20 }
                return
                    "--   \(String(String.UnicodeScalarView(field))): \(rule.keywords.joined(separator: ", "))"
            }
    }

    private typealias FieldRules = (field: String, keywords: [String])

    /// The rules of a property and of what is inside. A column's type and bounds are checked; inside a column of JSON,
    /// nothing is.
    private static func rules(of property: Property, field: String, isColumn: Bool) -> [FieldRules] {
        let keywords = keywords(of: property, isColumn: isColumn)
        let own: [FieldRules] = keywords.isEmpty ? [] : [(field, keywords)]
        switch property.type {
        case .array(let item, _, _, _): return own + rules(of: item, field: "\(field)[]", isColumn: false)
        case .map(let value): return own + rules(of: value, field: "\(field).*", isColumn: false)
        case .object(let object):
            return own
                + object.properties.flatMap {
                    rules(of: $0, field: "\(field).\($0.name)", isColumn: false)
                }
        default: return own
        }
    }

    private static func keywords(of property: Property, isColumn: Bool) -> [String] {
        var keywords = isColumn ? [] : ["type"]
        func add(_ name: String, if isGiven: Bool = true) { if isGiven { keywords.append(name) } }
        switch property.type {
        case .string(let minLength, let maxLength, let pattern, let maxBytes):
            add("minLength", if: !isColumn && minLength != nil)
            add("maxLength", if: !isColumn && maxLength != nil)
            add("maxBytes", if: !isColumn && maxBytes != nil)
            add("pattern", if: pattern != nil)
        case .uri(let maxLength):
            add("format")
            add("maxLength", if: !isColumn && maxLength != nil)
        case .integer(let minimum, let maximum):
            add("minimum", if: !isColumn && minimum != nil)
            add("maximum", if: !isColumn && maximum != nil)
        case .number(let minimum, let maximum):
            add("minimum", if: !isColumn && minimum != nil)
            add("maximum", if: !isColumn && maximum != nil)
        // A column takes 24:00:00 and leap seconds, and decimals of any length.
        case .dateTime, .decimal: add("format")
        case .uuid, .date: add("format", if: !isColumn)
        case .data: add("contentEncoding", if: !isColumn)
        case .array(_, let isSet, let minItems, let maxItems):
            add("minItems", if: !isColumn && minItems != nil)
            add("maxItems", if: !isColumn && maxItems != nil)
            add("uniqueItems", if: isSet || property.hasUniqueItems)
        case .object(let object): add("required", if: object.properties.contains(where: \.isRequired))
        case .boolean, .enumeration, .map: break
        }
        return keywords
    }
}
