/// Writes a JSON tree in one way only: no white space, members sorted by the bytes of their names, the fewest
/// escapes. Numbers stay as they were written.
package enum CanonicalJSON {
    /// The canonical text of a value; members keep their order where that says something.
    package static func text(node: JSONNode, sortsMembers: Bool = true) -> String {
        switch node.value {
        case .null, .invalid: return "null"
        case .bool(let truth): return truth ? "true" : "false"
        case .number(let number): return number
        case .string(let value): return string(value)
        case .array(let elements):
            return "[" + elements.map { text(node: $0, sortsMembers: sortsMembers) }.joined(separator: ",")
                + "]"
        case .object(let members):
            let members = sortsMembers ? members.sorted { ByteKey($0.name) < ByteKey($1.name) } : members
            let texts = members.map {
                string($0.name) + ":" + text(node: $0.node, sortsMembers: sortsMembers)
            }
            return "{" + texts.joined(separator: ",") + "}"
        }
    }

    /// A JSON string with its quotes. Control characters become `\u00xx`, or their short form.
    package static func string(_ value: String) -> String {
        var bytes: [UInt8] = [0x22]
        for byte in value.utf8 {
            switch byte {
            case 0x22, 0x5C: bytes += [0x5C, byte]
            case 0x08: bytes += [0x5C, UInt8(ascii: "b")]
            case 0x09: bytes += [0x5C, UInt8(ascii: "t")]
            case 0x0A: bytes += [0x5C, UInt8(ascii: "n")]
            case 0x0C: bytes += [0x5C, UInt8(ascii: "f")]
            case 0x0D: bytes += [0x5C, UInt8(ascii: "r")]
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
        return String(decoding: bytes, as: UTF8.self)
    }
}
