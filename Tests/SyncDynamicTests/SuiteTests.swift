import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// The conformance suite detects faulty adapters.
@Suite struct SuiteTests {
    @Test func adaptersThatLoseUnknownMembersAreFound() {
        expectViolation { record in record.unknown = [] }
    }

    @Test func adaptersThatTakeNullForAbsentAreFound() {
        expectViolation { record in record.values = record.values.map { $0 == .null ? nil : $0 } }
    }

    @Test func adaptersThatCutDatesToMillisecondsAreFound() {
        expectViolation { record in
            record.values = record.values.map { value in
                guard case .timestamp(let time)? = value else { return value }
                return .timestamp(Timestamp(microseconds: time.microseconds / 1000 * 1000))
            }
        }
    }

    @Test func adaptersThatComposeLettersAreFound() {
        expectViolation { record in
            record.values = record.values.map { value in
                guard case .text(let text)? = value else { return value }
                return .text(text.replacing("e\u{301}", with: "\u{e9}"))
            }
        }
    }

    @Test func adaptersThatSendDecimalsThroughDoublesAreFound() {
        expectViolation { record in
            record.values = record.values.map { value in
                guard case .text(let text)? = value, text.utf8.count > 20, let number = Double(text) else {
                    return value
                }
                return .text("\(number)")
            }
        }
    }

    @Test func descriptorsWhoseFieldsShareAPlaceOnTheWireAreFound() {
        let descriptor = EntityDescriptor(
            name: "x",
            typeName: "X",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "a", wirePath: ["p"], type: .boolean),
                FieldDescriptor(name: "b", wirePath: ["p", "q"], type: .boolean),
            ],
            key: ["id"],
            strategy: .setUnion
        )
        #expect(throws: SuiteViolation.self) {
            try AdapterSuite(adapter: FaultyAdapter(descriptor: descriptor) { _ in }).checkDescriptor()
        }
    }

    private func expectViolation(_ fault: @escaping @Sendable (inout Record) -> Void) {
        #expect(throws: SuiteViolation.self) {
            try AdapterSuite(adapter: FaultyAdapter(descriptor: TransactionAdapter.descriptor, fault: fault))
                .check()
        }
    }
}

/// An adapter that changes records.
private struct FaultyAdapter: EntityAdapter {
    let descriptor: EntityDescriptor
    let fault: @Sendable (inout Record) -> Void

    func read(_ row: any RowReader) throws -> Record { row.record(descriptor: descriptor) }

    func bind(_ model: Record, to row: any RowBinder) throws {
        var record = model
        fault(&record)
        try record.bind(to: row)
    }
}
