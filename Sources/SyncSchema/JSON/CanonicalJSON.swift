/// Writes the canonical form of a JSON tree: no white space, members sorted by name (bytes), minimal escapes.
/// Numbers stay as written.
package enum CanonicalJSON {
    /// The canonical text of a value. With `sortsMembers` false, members keep their order.
    package static func text(node: JSONNode, sortsMembers: Bool = true) -> String {
        var writer = JSONWriter()
        append(node, sortsMembers: sortsMembers, to: &writer)
        return writer.text
    }

    private static func append(_ node: JSONNode, sortsMembers: Bool, to writer: inout JSONWriter) {
        switch node.value {
        case .null, .invalid: writer.null()
        case .bool(let truth): writer.boolean(truth)
        case .number(let number): writer.raw(number)
        case .string(let value): writer.string(value)
        case .array(let elements):
            writer.beginArray()
            for element in elements { append(element, sortsMembers: sortsMembers, to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in sortsMembers ? members.sorted(by: precedes) : members {
                writer.name(member.name)
                append(member.node, sortsMembers: sortsMembers, to: &writer)
            }
            writer.endObject()
        }
    }

    private static func precedes(left: JSONMember, right: JSONMember) -> Bool {
        left.name.precedesByBytes(other: right.name)
    }

    /// A quoted JSON string. Control characters become `\u00xx`, or their short form.
    package static func string(_ value: String) -> String {
        var writer = JSONWriter()
        writer.string(value)
        return writer.text
    }
}
