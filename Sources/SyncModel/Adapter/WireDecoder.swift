/// The members of a wire object, named by the DTO's `CodingKeys`. A raw value is a member's name, or a JSON pointer such as
/// `/address/lat` where the schema flattens an object.
public typealias WireKey = CodingKey & CaseIterable & RawRepresentable<String>

/// Reads a wire object for a DTO, through any `Decoder`.
public struct WireDecoder<Key: WireKey> {
    private let root: KeyedDecodingContainer<MemberName>

    /// Reads the members of the decoder's keyed container.
    public init(decoder: any Decoder, keys: Key.Type) throws {
        root = try decoder.container(keyedBy: MemberName.self)
    }

    /// A member that must be there. Throws `DecodingError`.
    public func value<Value: Decodable>(key: Key) throws -> Value {
        let (parent, name) = place(of: key)
        guard let parent else {
            throw DecodingError.keyNotFound(
                name,
                DecodingError.Context(
                    codingPath: root.codingPath,
                    debugDescription: "A wire member is missing."
                )
            )
        }
        return try parent.decode(Value.self, forKey: name)
    }

    /// A member that may be null or absent.
    public func optional<Value: Decodable>(key: Key) throws -> Value? {
        let (parent, name) = place(of: key)
        return try parent?.decodeIfPresent(Value.self, forKey: name)
    }

    /// What no key names, and which of the tracked fields (`field name: key`) are absent.
    public func unknownFields(tracking: KeyValuePairs<String, Key> = [:]) throws -> UnknownFields {
        let absent = tracking.filter { _, key in
            let (parent, name) = place(of: key)
            return parent?.contains(name) != true
        }
        var members: [UnknownField] = []
        try collect(
            root,
            parents: [],
            known: Key.allCases.map { UnknownPath.components(path: $0.rawValue)[...] },
            members: &members
        )
        return UnknownFields(members: members, absentFields: absent.map(\.key))
    }

    private func place(of key: Key) -> (KeyedDecodingContainer<MemberName>?, MemberName) {
        let path = UnknownPath.components(path: key.rawValue)
        var parent: KeyedDecodingContainer<MemberName>? = root
        for name in path.dropLast() {
            parent = try? parent?.nestedContainer(keyedBy: MemberName.self, forKey: MemberName(name))
        }
        return (parent, MemberName(path[path.count - 1]))
    }

    private func collect(
        _ container: KeyedDecodingContainer<MemberName>,
        parents: [String],
        known: [ArraySlice<String>],
        members: inout [UnknownField]
    ) throws {
        for name in container.allKeys {
            let text = name.stringValue
            let below = known.filter { $0.first?.utf8.elementsEqual(text.utf8) ?? false }.map {
                $0.dropFirst()
            }
            if below.contains(where: \.isEmpty) { continue }
            if !below.isEmpty,
                let inner = try? container.nestedContainer(keyedBy: MemberName.self, forKey: name)
            {
                try collect(inner, parents: parents + [text], known: below, members: &members)
                continue
            }
            let json = try container.decode(AnyJSON.self, forKey: name).text
            members.append(UnknownField(path: UnknownPath.make(parents: parents, name: text), json: json))
        }
    }
}

/// Writes a wire object for a DTO, through any `Encoder`.
public struct WireEncoder<Key: WireKey> {
    private var root: WireObject

    /// Writes into the encoder's keyed container.
    public init(encoder: any Encoder, keys: Key.Type) {
        root = WireObject(container: encoder.container(keyedBy: MemberName.self))
    }

    /// Writes a member.
    public mutating func encode(_ value: some Encodable, key: Key) throws {
        try root.encode(value, path: UnknownPath.components(path: key.rawValue)[...])
    }

    /// Writes a member unless it is nil.
    public mutating func encodeIfPresent(_ value: (some Encodable)?, key: Key) throws {
        if let value { try encode(value, key: key) }
    }

    /// Writes a nullable member: null for nil, and nothing for nil where the record came without the field.
    public mutating func encode(
        nullable value: (some Encodable)?,
        key: Key,
        isAbsent: Bool = false
    ) throws {
        if let value { return try encode(value, key: key) }
        if !isAbsent { try encode(AnyJSON(text: "null"), key: key) }
    }

    /// Writes what the schema does not know.
    public mutating func encode(_ unknownFields: UnknownFields) throws {
        for member in unknownFields.members {
            try root.encode(AnyJSON(text: member.json), path: UnknownPath.components(path: member.path)[...])
        }
    }
}

/// A keyed container and the containers inside it that are open. NB: asking an encoder twice for one container is not
/// promised to work, so they are kept.
private struct WireObject {
    var container: KeyedEncodingContainer<MemberName>
    var inner: [RecordKey: WireObject] = [:]

    mutating func encode(_ value: some Encodable, path: ArraySlice<String>) throws {
        guard let first = path.first else { return }
        if path.count == 1 { return try container.encode(value, forKey: MemberName(first)) }
        let name = RecordKey(first)
        if inner[name] == nil {
            let nested = container.nestedContainer(keyedBy: MemberName.self, forKey: MemberName(first))
            inner[name] = WireObject(container: nested)
        }
        try inner[name]?.encode(value, path: path.dropFirst())
    }
}
