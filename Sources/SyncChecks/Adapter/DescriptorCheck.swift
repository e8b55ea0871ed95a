import SyncCore

/// Checks that a descriptor is as consistent as one from a checked schema.
struct DescriptorCheck {
    let descriptor: EntityDescriptor

    func check() throws {
        try require(!descriptor.fields.isEmpty, what: "it has fields")
        try require(!descriptor.key.isEmpty, what: "it has a key")
        try checkNames()
        try checkKey()
        try checkRoles()
        try checkLists()
        for field in descriptor.fields { try check(field) }
    }

    private func checkNames() throws {
        let columns = descriptor.fields.map { $0.name.lowercased() }
        try require(Set(columns).count == columns.count, what: "no two columns have one name")
        let paths = descriptor.fields.filter { !$0.isLocalOnly }.map { $0.wirePath.map { RecordKey($0) } }
        for (index, path) in paths.enumerated() {
            try require(!path.isEmpty, what: "every field has a place on the wire")
            for other in paths[(index + 1)...] {
                let isApart = !path.starts(with: other) && !other.starts(with: path)
                try require(isApart, what: "no two fields share a place on the wire: \(path)")
            }
        }
        let isSound = descriptor.table.utf8.allSatisfy { byte in
            (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
        }
        try require(isSound && !descriptor.table.isEmpty, what: "the table's name needs no quotes")
    }

    private func checkKey() throws {
        for name in descriptor.key {
            let field = try field(name: name)
            try require(
                field.isRequired && !field.isNullable,
                what: "the key field '\(name)' always has a value"
            )
            try require(!field.isLocalOnly, what: "the key field '\(name)' travels")
            switch field.type {
            case .string, .integer, .uuid, .date, .uri: break
            default: try require(false, what: "the key field '\(name)' is text or an integer")
            }
        }
    }

    private func checkRoles() throws {
        for name in [descriptor.created, descriptor.updated].compactMap({ $0 }) {
            try require(try field(name: name).type == .dateTime, what: "'\(name)' is a date-time")
        }
        if let name = descriptor.deleted {
            let type = try field(name: name).type
            try require(type == .dateTime || type == .boolean, what: "'\(name)' is a date-time or boolean")
        }
    }

    private func checkLists() throws {
        for list in descriptor.unique + descriptor.indexes {
            try require(!list.isEmpty, what: "a unique list or index names fields")
            for name in list {
                let isAlone = list.count == 1 && descriptor.indexes.contains(list)
                try require(
                    !(try field(name: name).type.isStructured) || isAlone,
                    what: "'\(name)' of a list is one column of one value"
                )
            }
        }
        for name in descriptor.search {
            let isText = if case .string = try field(name: name).type { true } else { false }
            try require(isText, what: "the searched field '\(name)' is text")
        }
        for reference in descriptor.references {
            let field = try field(name: reference.field)
            let isClearable = field.isNullable || !field.isRequired
            try require(reference.onDelete != .nullify || isClearable, what: "'\(field.name)' can be cleared")
        }
    }

    private func check(_ field: FieldDescriptor) throws {
        if field.merge == .union {
            try require(field.type.isSet, what: "'\(field.name)' with union is a set")
        }
        if field.isRequired {
            try require(!field.isLocalOnly, what: "the local field '\(field.name)' is optional")
        }
        guard let json = field.defaultJSON else { return }
        let alone = EntityDescriptor(
            name: "x",
            typeName: "X",
            fields: [field],
            key: [field.name],
            strategy: .setUnion
        )
        var decoder = RecordDecoder(descriptor: alone, form: .plain)
        let name = field.name
        do {
            _ = try decoder.record(Array("{\"\(name)\":\(json)}".utf8))
        } catch {
            throw SuiteViolation(
                what: "the default of '\(name)' does not fit: \(error)",
                descriptor: descriptor
            )
        }
    }

    private func field(name: String) throws -> FieldDescriptor {
        guard let index = descriptor.layout.position(of: name) else {
            throw SuiteViolation(what: "there is no field '\(name)'", descriptor: descriptor)
        }
        return descriptor.fields[index]
    }

    private func require(_ holds: Bool, what: String) throws {
        if !holds { throw SuiteViolation(what: "expected that \(what)", descriptor: descriptor) }
    }
}
