extension EntityDescriptor {
    /// Changes whenever this code checks values in another way, so that what it refused is checked again.
    private static let rulesVersion = "3"

    /// A fingerprint of all that decides whether a record of these entities is taken in. A record that was refused
    /// under it is refused again.
    package static func checksDigest(of entities: [EntityDescriptor]) -> Digest {
        var words = [rulesVersion]
        for entity in entities.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            words += ["entity", entity.name] + entity.key
            for field in entity.fields { words += field.checks }
        }
        var writer = JSONWriter()
        writer.strings(words)
        return Digest(writer.bytes)
    }
}

extension FieldDescriptor {
    /// All that decides whether a value is taken in, as words.
    fileprivate var checks: [String] {
        var words = [
            "field", name, wirePath.joined(separator: "/"), "\(isNullable) \(isRequired) \(isLocalOnly)",
        ]
        words.append("former")
        words += formerWireNames.isEmpty ? ["none"] : formerWireNames
        words += ["default", defaultJSON ?? "none"]
        if hasUniqueItems { words.append("unique items") }
        return words + type.checks
    }
}

extension FieldType {
    /// The type and its constraints, as words.
    fileprivate var checks: [String] {
        func bound(_ value: (some CustomStringConvertible)?) -> String { value?.description ?? "none" }
        return switch self {
        case .string(let least, let most, let pattern, let maxBytes):
            ["text", bound(least), bound(most), bound(pattern)]
                + (maxBytes.map { ["bytes", bound($0)] } ?? [])
        case .integer(let minimum, let maximum): ["integer", bound(minimum), bound(maximum)]
        case .number(let minimum, let maximum): ["number", bound(minimum), bound(maximum)]
        case .boolean: ["boolean"]
        case .uuid: ["uuid"]
        case .dateTime: ["date-time"]
        case .date: ["date"]
        case .uri(let maxLength): ["uri", bound(maxLength)]
        case .decimal: ["decimal"]
        case .data: ["data"]
        case .enumeration(let values): ["enum"] + values
        case .array(let element, let isNullable, let isSet, let least, let most):
            ["array", "\(isNullable) \(isSet)", bound(least), bound(most)] + element.checks
        case .object(let fields): ["object"] + fields.flatMap(\.checks) + ["end"]
        case .map(let value, let isNullable): ["map", "\(isNullable)"] + value.checks
        }
    }
}
