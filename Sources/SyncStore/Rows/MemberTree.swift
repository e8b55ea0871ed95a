import SyncCore

/// A JSON object under construction, whose members are inserted by path.
struct MemberTree {
    /// One member of the outermost object.
    struct Member {
        let name: String
        let json: String
    }

    fileprivate var nodes: [(name: String, node: Node)] = []

    fileprivate indirect enum Node {
        case value(String)
        case object(MemberTree)
    }

    /// Inserts a value at a path. Returns false and changes nothing if another value is in its way.
    mutating func insert(_ path: ArraySlice<String>, json: String) -> Bool {
        guard let name = path.first else { return false }
        let rest = path.dropFirst()
        guard let index = nodes.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else {
            var inner = MemberTree()
            if !rest.isEmpty, !inner.insert(rest, json: json) { return false }
            nodes.append((name, rest.isEmpty ? .value(json) : .object(inner)))
            return true
        }
        guard case .object(var inner) = nodes[index].node, !rest.isEmpty, inner.insert(rest, json: json)
        else {
            return false
        }
        nodes[index].node = .object(inner)
        return true
    }

    /// The members of the outermost object.
    var members: [Member] {
        nodes.map { name, node in
            var writer = JSONWriter()
            node.append(to: &writer)
            return Member(name: name, json: writer.text)
        }
    }
}

extension MemberTree {
    /// The object as JSON.
    var json: [UInt8] {
        var writer = JSONWriter()
        Node.object(self).append(to: &writer)
        return writer.bytes
    }
}

extension MemberTree.Node {
    fileprivate func append(to writer: inout JSONWriter) {
        switch self {
        case .value(let json): writer.raw(json)
        case .object(let tree):
            writer.beginObject()
            for member in tree.members {
                writer.name(member.name)
                writer.raw(member.json)
            }
            writer.endObject()
        }
    }
}

extension MemberTree {
    /// The names in an unknown member's path, from the outside in: a name, or a JSON pointer (RFC 6901).
    static func components(path: String) -> [String] {
        guard path.utf8.first == UInt8(ascii: "/") else { return [path] }
        return path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map
        {
            String(Substring($0)).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }

    /// The path of an unknown member with the given names.
    static func path(components: [String]) -> String {
        if components.count == 1, components[0].utf8.first != UInt8(ascii: "/") { return components[0] }
        return components.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}
