import SyncSchema

/// The objects that a schema describes inside a body. The members of all other objects are the devices' own business.
indirect enum BodyShape {
    /// An object, with the members that are or hold further objects.
    case object([String: BodyShape])
    /// An array whose elements are or hold objects.
    case array(BodyShape)

    /// The shape of a body with these columns.
    init(columns: [Column]) { self = Self.level(columns: columns[...], depth: 0) }

    private static func level(columns: ArraySlice<Column>, depth: Int) -> BodyShape {
        var members: [String: BodyShape] = [:]
        for column in columns {
            let name = column.path[depth]
            if column.path.count > depth + 1 {
                let nested = columns.filter { $0.path.count > depth + 1 && $0.path[depth] == name }
                members[name] = level(columns: nested[...], depth: depth + 1)
            } else {
                members[name] = BodyShape(column.property.type)
            }
        }
        return .object(members)
    }

    /// The shape of a value; nil if it holds no object that the schema describes.
    private init?(_ type: SchemaType) {
        switch type {
        case .object(let object):
            var members: [String: BodyShape] = [:]
            for property in object.properties {
                members[property.wirePath.last ?? property.name] = BodyShape(property.type)
            }
            self = .object(members)
        case .array(let item, _, _, _):
            guard let shape = BodyShape(item.type) else { return nil }
            self = .array(shape)
        default: return nil
        }
    }

    /// Whether only the body itself is described.
    var isFlat: Bool {
        if case .object(let members) = self { members.isEmpty } else { false }
    }

    /// As JSON: an object with the members' shapes, or an array with the shape of its elements.
    var json: String {
        switch self {
        case .object(let members):
            let texts = members.sorted { $0.key < $1.key }.map { "\(JSONString($0.key)):\($0.value.json)" }
            return "{\(texts.joined(separator: ","))}"
        case .array(let element): return "[\(element.json)]"
        }
    }
}
