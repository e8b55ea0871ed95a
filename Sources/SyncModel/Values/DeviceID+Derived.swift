/// Identifiers of authors that are no devices. They follow from names and keys alone, so every device derives the same.
///
/// A record of which two devices draw the same conclusion thus gets the same version from both, timestamps included. And
/// edits of one record can be told apart from those of another one that it is merged into.
extension DeviceID {
    /// Bits that only derived identifiers have. Random ones are kept free of them (`DeviceID.init(random:)`).
    private static let remotePrefix: UInt64 = 0xffff_fd
    private static let movedPrefix: UInt64 = 0xffff_fe
    private static let conclusionPrefix: UInt64 = 0xffff_ff
    private static let prefixShift: UInt64 = 40

    /// A random identifier for a new incarnation of a store.
    package init(random bits: UInt64) {
        let isDerived = bits >> Self.prefixShift >= Self.remotePrefix
        self.init(bits: isDerived ? bits & (1 << Self.prefixShift - 1) : bits)
    }

    /// The author of an edit that follows from other edits, and that nobody wrote.
    package static func conclusion(names: String...) -> DeviceID {
        derived(names: names, prefix: conclusionPrefix)
    }

    /// The author of what changes at a remote that keeps no version metadata, by the store's binding to it.
    package static func remote(binding: String) -> DeviceID {
        derived(names: [binding], prefix: remotePrefix)
    }

    /// Whether an edit of this author follows from other edits.
    package var isConclusion: Bool { bits >> Self.prefixShift == Self.conclusionPrefix }

    /// The name of this device's edits of a record in the record that it is merged into. Edits that moved before keep
    /// theirs, so the order of merges does not matter.
    package func moved(from key: RecordKey, entity: String) -> DeviceID {
        if bits >> Self.prefixShift == Self.movedPrefix { return self }
        return .derived(names: [description, entity, key.text], prefix: Self.movedPrefix)
    }

    private static func derived(names: [String], prefix: UInt64) -> DeviceID {
        // Lengths keep two lists of names from reading the same.
        let text = names.map { "\($0.utf8.count):\($0)" }.joined()
        let digest = Digest(Array(text.utf8)).high & (1 << prefixShift - 1)
        return DeviceID(bits: prefix << prefixShift | digest)
    }
}

extension EditTimestamp {
    /// The edit's name in the record that its own one is merged into.
    package func moved(from key: RecordKey, entity: String) -> EditTimestamp {
        EditTimestamp(time: time, device: device.moved(from: key, entity: entity), sequence: sequence)
    }
}
