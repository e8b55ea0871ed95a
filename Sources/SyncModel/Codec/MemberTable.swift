/// Member names of one form of a record, and the fields they stand for. Nested if a field is at a JSON pointer.
package final class MemberTable: Sendable {
    /// Members in field order.
    package let entries: [Entry]
    /// Whether some fields lie inside objects.
    package let isNested: Bool

    package struct Entry: Sendable {
        /// The member's name as UTF-8.
        let name: [UInt8]
        /// The quoted name and the colon.
        let quoted: [UInt8]
        let target: Target
    }

    package enum Target: Sendable {
        case field(Int)
        case object(MemberTable)
    }

    /// A nil path leaves a field out.
    convenience init(fields: [FieldDescriptor], paths: [[String]?]) {
        self.init(paths.enumerated().compactMap { index, path in path.map { ($0[...], index) } })
    }

    private init(_ paths: [(ArraySlice<String>, Int)]) {
        var order: [String] = []
        var groups: [String: [(ArraySlice<String>, Int)]] = [:]
        for (path, index) in paths {
            guard let first = path.first else { continue }
            if groups[first] == nil { order.append(first) }
            groups[first, default: []].append((path.dropFirst(), index))
        }
        entries = order.map { name in
            var writer = JSONWriter()
            writer.name(name)
            let members = groups[name] ?? []
            let target: Target =
                if members.count == 1, members[0].0.isEmpty {
                    .field(members[0].1)
                } else {
                    .object(MemberTable(members))
                }
            return Entry(name: Array(name.utf8), quoted: writer.bytes, target: target)
        }
        isNested = entries.contains { if case .object = $0.target { true } else { false } }
    }

    /// The fields of the table and of the objects in it.
    var fields: [Int] {
        entries.flatMap { entry in
            switch entry.target {
            case .field(let index): [index]
            case .object(let inner): inner.fields
            }
        }
    }

    /// Finds a member. Members usually come in order, so the search starts at `hint`, which it advances.
    @inline(__always)
    package func find(_ name: JSONText, hint: inout Int) -> Target? {
        let count = entries.count
        var index = hint
        for _ in 0..<count {
            if index >= count { index = 0 }
            if name.equals(entries[index].name) {
                hint = index + 1
                return entries[index].target
            }
            index += 1
        }
        return nil
    }
}
