/// Identifiers of authors that are not devices. They are derived from names and keys alone, so they are equal on
/// every device.
///
/// Devices that draw the same conclusion about a record thus write the same version, timestamps included. And edits
/// of a record can be distinguished from those of another one that is merged into it.
extension DeviceID {
    /// A prefix that only derived identifiers have. Random ones never have it (`DeviceID.init(random:)`).
    private static let remotePrefix: UInt64 = 0xffff_fd
    private static let movedPrefix: UInt64 = 0xffff_fe
    private static let conclusionPrefix: UInt64 = 0xffff_ff
    private static let prefixShift: UInt64 = 40

    /// A random identifier for a new incarnation of a store.
    package init(random bits: UInt64) {
        let isDerived = bits >> Self.prefixShift >= Self.remotePrefix
        self.init(bits: isDerived ? bits & (1 << Self.prefixShift - 1) : bits)
    }

    /// The author of a conclusion: an edit that follows from others and that nobody wrote.
    package static func conclusion(names: String...) -> DeviceID {
        derived(names: names, prefix: conclusionPrefix)
    }

    /// The author of changes at a remote without version metadata, derived from the store's binding.
    package static func remote(binding: String) -> DeviceID {
        derived(names: [binding], prefix: remotePrefix)
    }

    /// Whether this is the author of conclusions.
    package var isConclusion: Bool { bits >> Self.prefixShift == Self.conclusionPrefix }

    /// The name of this device's edits of a record in the record that it is merged into. Edits that were merged
    /// before keep theirs, so the order of merges does not matter.
    package func moved(from key: RecordKey, entity: String) -> DeviceID {
        if bits >> Self.prefixShift == Self.movedPrefix { return self }
        return .derived(names: [description, entity, key.text], prefix: Self.movedPrefix)
    }

    /// The name of an edit of this device that has not seen the device's own earlier ones: a form was open while the
    /// record was written. `sequence` is the device's count of edits.
    package func form(sequence: Int64) -> DeviceID {
        .derived(names: [description, "form", String(sequence)], prefix: Self.movedPrefix)
    }

    private static func derived(names: [String], prefix: UInt64) -> DeviceID {
        // Lengths prevent two lists of names from having the same text.
        let text = names.map { "\($0.utf8.count):\($0)" }.joined()
        let digest = Digest(Array(text.utf8)).high & (1 << prefixShift - 1)
        return DeviceID(bits: prefix << prefixShift | digest)
    }
}

extension EditTimestamp {
    /// The edit's name in the record that its own record is merged into.
    package func moved(from key: RecordKey, entity: String) -> EditTimestamp {
        EditTimestamp(time: time, device: device.moved(from: key, entity: entity), sequence: sequence)
    }
}
