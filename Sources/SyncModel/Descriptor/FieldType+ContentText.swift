/// The text of a type that goes into fingerprints of schemas (`EntityDescriptor.contentSchema`). Other devices and versions
/// of an app compare these, so the text never changes: it is what the first versions took from the compiler.
extension FieldType {
    var contentText: String {
        switch self {
        case .string(let minLength, let maxLength, let pattern, let maxBytes):
            "string(minLength: \(Self.text(of: minLength)), maxLength: \(Self.text(of: maxLength)), "
                + "pattern: \(Self.text(of: pattern))" + (maxBytes.map { ", maxBytes: \($0)" } ?? "") + ")"
        case .integer(let minimum, let maximum):
            "integer(minimum: \(Self.text(of: minimum)), maximum: \(Self.text(of: maximum)))"
        case .number(let minimum, let maximum):
            "number(minimum: \(Self.text(of: minimum)), maximum: \(Self.text(of: maximum)))"
        case .boolean: "boolean"
        case .uuid: "uuid"
        case .dateTime: "dateTime"
        case .date: "date"
        case .uri(let maxLength): "uri(maxLength: \(Self.text(of: maxLength)))"
        case .decimal: "decimal"
        case .data: "data"
        case .enumeration(let values): "enumeration(\(Self.text(of: values)))"
        case .array(let element, let elementIsNullable, let isSet, let minItems, let maxItems):
            "array(element: \(element.innerText), elementIsNullable: \(elementIsNullable), isSet: \(isSet), "
                + "minItems: \(Self.text(of: minItems)), maxItems: \(Self.text(of: maxItems)))"
        case .object(let fields): "object([\(fields.map(\.contentText).joined(separator: ", "))])"
        case .map(let value, let valueIsNullable):
            "map(value: \(value.innerText), valueIsNullable: \(valueIsNullable))"
        }
    }

    /// The text within that of another type.
    fileprivate var innerText: String { "SyncModel.FieldType." + contentText }

    fileprivate static func text(of number: (some CustomStringConvertible)?) -> String {
        number.map { "Optional(\($0.description))" } ?? "nil"
    }

    fileprivate static func text(of text: String?) -> String {
        text.map { "Optional(\($0.debugDescription))" } ?? "nil"
    }

    fileprivate static func text(of list: [String]) -> String {
        "[\(list.map(\.debugDescription).joined(separator: ", "))]"
    }
}

extension FieldDescriptor {
    /// The text of a field of a nested object.
    fileprivate var contentText: String {
        // What apps had no word for when they noted their first digests is left out where it says nothing.
        let unique = hasUniqueItems ? ", hasUniqueItems: true" : ""
        let earlier = earlierNames.isEmpty ? "" : ", earlierNames: \(FieldType.text(of: earlierNames))"
        return
            "SyncModel.FieldDescriptor(name: \(name.debugDescription), wirePath: \(FieldType.text(of: wirePath)), "
            + "type: \(type.innerText), isNullable: \(isNullable), isRequired: \(isRequired), "
            + "merge: \(merge.map { "Optional(SyncModel.MergeRule.\($0.contentText))" } ?? "nil"), "
            + "renamedFrom: \(FieldType.text(of: renamedFrom))\(earlier), isLocalOnly: \(isLocalOnly)\(unique), "
            + "defaultJSON: \(FieldType.text(of: defaultJSON)))"
    }
}

extension MergeRule {
    fileprivate var contentText: String {
        switch self {
        case .union: "union"
        case .max: "max"
        case .min: "min"
        case .or: "or"
        case .and: "and"
        case .lastWriteWins: "lastWriteWins"
        case .preserveLocal: "preserveLocal"
        }
    }
}
