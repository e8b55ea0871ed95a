public import SyncCore

/// Checks an adapter, generated or dynamic: nothing may be lost or changed between row, model and wire.
///
/// ```swift
/// try AdapterSuite(adapter: BookmarkAdapter()).check()
/// ```
public struct AdapterSuite<Adapter: EntityAdapter>: Sendable {
    private let adapter: Adapter
    private let texts: [String: [String]]

    /// Makes a suite for one adapter. `texts` has texts that match the pattern of a field, by field name.
    public init(adapter: Adapter, texts: [String: [String]] = [:]) {
        self.adapter = adapter
        self.texts = texts
    }

    private var descriptor: EntityDescriptor { adapter.descriptor }

    /// Runs all checks. Throws the first violation, a `SuiteViolation`.
    public func check(seeds: Range<UInt64> = 0..<4) throws {
        try checkDescriptor()
        for seed in seeds {
            for record in try records(seed: seed) { try check(record) }
        }
    }

    /// Checks that the descriptor is consistent.
    public func checkDescriptor() throws {
        try DescriptorCheck(descriptor: descriptor).check()
    }

    /// Records with edge values of all fields.
    public func records(seed: UInt64) throws -> [Record] {
        try EdgeRecords(descriptor: descriptor, texts: texts).records(seed: seed)
    }

    /// Checks that one record survives model, row and wire unchanged.
    public func check(_ record: Record) throws {
        let model = try step(what: "the record has a model", record: record) {
            try adapter.model(record)
        }
        let again = try step(what: "the model has a row", record: record) { try adapter.record(model) }
        try expectSame("record -> model -> record", expected: record, found: again)
        let second = try step(what: "the row has a model", record: record) {
            try adapter.record(try adapter.model(again))
        }
        try expectSame("model -> row -> model", expected: again, found: second)
        try checkForm(.wire, record: record)
        try checkForm(.plain, record: record)
        try checkWireNames(record)
    }

    /// Checks that encoding and decoding gives the same record, and that a model in between changes no byte.
    private func checkForm(_ form: RecordForm, record: Record) throws {
        var expected = record
        if form == .wire { for index in descriptor.layout.localOnly { expected.values[index] = nil } }
        let encoder = RecordEncoder(descriptor: descriptor, form: form)
        let bytes = encoder.bytes(record)
        let decoded = try step(what: "the \(form) form is read", record: record) {
            var decoder = RecordDecoder(descriptor: descriptor, form: form)
            return try decoder.record(bytes)
        }
        try expectSame("record -> \(form) -> record", expected: expected, found: decoded)
        let passed = try step(what: "the model passes the \(form) form on", record: record) {
            try adapter.record(try adapter.model(decoded))
        }
        if encoder.bytes(passed) != bytes {
            throw violation(what: "the \(form) form changed in a model", record: record)
        }
    }

    /// Checks that each value has its path on the wire, and that local values are left out.
    private func checkWireNames(_ record: Record) throws {
        let bytes = RecordEncoder(descriptor: descriptor, form: .wire).bytes(record)
        for (index, field) in descriptor.fields.enumerated() {
            let isExpected = record.values[index] != nil && !field.isLocalOnly
            let isThere = try Self.holds(bytes: bytes, path: field.wirePath[...])
            if isThere != isExpected {
                let state = isThere ? "stands" : "does not stand"
                throw violation(
                    what: "'\(field.name)' \(state) at \(field.wirePath) on the wire",
                    record: record
                )
            }
        }
    }

    private static func holds(bytes: [UInt8], path: ArraySlice<String>) throws -> Bool {
        guard let first = path.first else { return true }
        return try bytes.withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            guard try reader.peek() == UInt8(ascii: "{"), try reader.beginObject() else { return false }
            repeat {
                let isNext = try reader.name().equals(Array(first.utf8))
                let value = try reader.skipValue()
                if isNext {
                    return path.count == 1 ? true : try holds(bytes: Array(value), path: path.dropFirst())
                }
            } while try reader.nextMember()
            return false
        }
    }

    private func expectSame(_ what: String, expected: Record, found: Record) throws {
        for (index, field) in descriptor.fields.enumerated()
        where expected.values[index] != found.values[index] {
            throw violation(what: "\(what) changed '\(field.name)'", record: expected)
        }
        if expected.unknown != found.unknown {
            throw violation(what: "\(what) changed unknown members", record: expected)
        }
    }

    private func step<Result>(what: String, record: Record, body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FieldError {
            throw violation(what: "\(what), but: \(error.message)", record: record)
        }
    }

    private func violation(what: String, record: Record) -> SuiteViolation {
        let json = String(
            decoding: RecordEncoder(descriptor: descriptor, form: .plain).bytes(record),
            as: UTF8.self
        )
        return SuiteViolation(what: "\(what)\n\(json)", descriptor: descriptor)
    }
}

/// Thrown for a violated guarantee of an adapter.
public struct SuiteViolation: Error, CustomStringConvertible, Sendable {
    /// The entity, the guarantee and the record.
    public let description: String

    init(what: String, descriptor: EntityDescriptor) {
        description = "\(descriptor.name): \(what)"
    }
}
