public import SyncCore

/// What every adapter guarantees, generated or made at run time: nothing is lost or changed between a row, a model and
/// the wire.
///
/// ```swift
/// try AdapterSuite(BookmarkAdapter()).check()
/// ```
public struct AdapterSuite<Adapter: EntityAdapter>: Sendable {
    private let adapter: Adapter
    private let texts: [String: [String]]

    /// Checks one adapter. `texts` are texts that fit the pattern of a field, by field name.
    public init(_ adapter: Adapter, texts: [String: [String]] = [:]) {
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

    /// The descriptor agrees with itself.
    public func checkDescriptor() throws {
        try DescriptorCheck(descriptor: descriptor).check()
    }

    /// Records at the edges of what the entity holds.
    public func records(seed: UInt64) throws -> [Record] {
        try EdgeRecords(descriptor: descriptor, texts: texts).records(seed: seed)
    }

    /// One record keeps its identity through model, row and wire.
    public func check(_ record: Record) throws {
        let model = try step("the record has a model", record) { try adapter.model(record) }
        let again = try step("the model has a row", record) { try adapter.record(model) }
        try expectSame("record -> model -> record", record, again)
        let second = try step("the row has a model", record) { try adapter.record(try adapter.model(again)) }
        try expectSame("model -> row -> model", again, second)
        try checkForm(.wire, record)
        try checkForm(.plain, record)
        try checkWireNames(record)
    }

    /// What is encoded is decoded to the same record, and a model in between changes no byte.
    private func checkForm(_ form: RecordForm, _ record: Record) throws {
        var expected = record
        if form == .wire { for index in descriptor.layout.localOnly { expected.values[index] = nil } }
        let encoder = RecordEncoder(descriptor, form: form)
        let bytes = encoder.bytes(record)
        let decoded = try step("the \(form) form is read", record) {
            var decoder = RecordDecoder(descriptor, form: form)
            return try decoder.record(bytes)
        }
        try expectSame("record -> \(form) -> record", expected, decoded)
        let passed = try step("the model passes the \(form) form on", record) {
            try adapter.record(try adapter.model(decoded))
        }
        if encoder.bytes(passed) != bytes { throw violation("the \(form) form changed in a model", record) }
    }

    /// On the wire each value stands under its path, and local ones do not stand at all.
    private func checkWireNames(_ record: Record) throws {
        let bytes = RecordEncoder(descriptor, form: .wire).bytes(record)
        for (index, field) in descriptor.fields.enumerated() {
            let isExpected = record.values[index] != nil && !field.isLocalOnly
            let isThere = try Self.holds(bytes, field.wirePath[...])
            if isThere != isExpected {
                let state = isThere ? "stands" : "does not stand"
                throw violation("'\(field.name)' \(state) at \(field.wirePath) on the wire", record)
            }
        }
    }

    private static func holds(_ bytes: [UInt8], _ path: ArraySlice<String>) throws -> Bool {
        guard let first = path.first else { return true }
        return try bytes.withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            guard try reader.peek() == UInt8(ascii: "{"), try reader.beginObject() else { return false }
            repeat {
                let isNext = try reader.name().equals(Array(first.utf8))
                let value = try reader.skipValue()
                if isNext { return path.count == 1 ? true : try holds(Array(value), path.dropFirst()) }
            } while try reader.nextMember()
            return false
        }
    }

    private func expectSame(_ what: String, _ expected: Record, _ found: Record) throws {
        for (index, field) in descriptor.fields.enumerated()
        where expected.values[index] != found.values[index] {
            throw violation("\(what) changed '\(field.name)'", expected)
        }
        if expected.unknown != found.unknown { throw violation("\(what) changed unknown members", expected) }
    }

    private func step<Result>(_ what: String, _ record: Record, _ body: () throws -> Result) throws -> Result
    {
        do {
            return try body()
        } catch let problem as FieldProblem {
            throw violation("\(what), but: \(problem.message)", record)
        }
    }

    private func violation(_ what: String, _ record: Record) -> SuiteViolation {
        let json = String(decoding: RecordEncoder(descriptor, form: .plain).bytes(record), as: UTF8.self)
        return SuiteViolation("\(what)\n\(json)", descriptor)
    }
}

/// A guarantee that did not hold.
public struct SuiteViolation: Error, CustomStringConvertible, Sendable {
    /// The entity, the guarantee and the record.
    public let description: String

    init(_ what: String, _ descriptor: EntityDescriptor) {
        description = "\(descriptor.name): \(what)"
    }
}
