/// The two JSON forms of a record.
public enum RecordForm: Sendable, Hashable {
    /// Schema names and all fields, local-only ones too. For import, export and journal.
    case plain
    /// Wire names, without local-only fields. For segments, requests and responses.
    case wire

    func table(descriptor: EntityDescriptor) -> MemberTable {
        switch self {
        case .plain: descriptor.layout.plain
        case .wire: descriptor.layout.wire
        }
    }

    func name(field: FieldDescriptor) -> String {
        switch self {
        case .plain: field.name
        case .wire: field.wirePath[field.wirePath.count - 1]
        }
    }
}

/// Paths of unknown members: a plain name, or a JSON pointer if the name starts with `/` or is nested.
enum UnknownPath {
    /// The path of a member inside the objects named by `parents`.
    static func make(parents: some Collection<String>, name: String) -> String {
        if parents.isEmpty, name.utf8.first != UInt8(ascii: "/") { return name }
        return (Array(parents) + [name]).map { "/" + escape(name: $0) }.joined()
    }

    /// Names from the outside in.
    static func components(path: String) -> [String] {
        guard path.utf8.first == UInt8(ascii: "/") else { return [path] }
        return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }

    private static func escape(name: String) -> String {
        name.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}
