import SyncCore
import Testing

@testable import SyncAccounts
@testable import SyncRuntime

/// What stands before a remote takes nothing from what it can do.
@Suite struct GatedBackendTests {
    @Test func devicesCompareWhatTheyHoldBehindAGateToo() async throws {
        let gated = GatedBackend(base: ComparingBackend(), gate: AccountGate())
        #expect(gated.capabilities == .requestComparison)
        let session = try await gated.open(
            SessionRequest(
                device: DeviceID(bits: 1),
                label: "",
                entities: [],
                binding: nil,
                cursor: nil,
                intent: nil
            )
        )
        #expect(try await session.comparesRecords(cursor: "c"))
        #expect(try await session.compare(["note 1": Digest([])], cursor: "c").map(\.place) == ["note 1 c"])
    }
}

/// A remote that compares, and names what it was told.
private struct ComparingBackend: RemoteBackend {
    let capabilities = RemoteCapabilities.requestComparison

    func open(_ request: SessionRequest) async throws -> any RemoteSession { Session() }

    private struct Session: RemoteSession {
        let greeting = SessionGreeting(binding: "")

        func fetch() async throws -> RemotePage? { nil }

        func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
            PreparedPush(intent: "", changes: changes, payload: [])
        }

        func push(_ prepared: PreparedPush) async throws -> PushReceipt {
            PushReceipt(results: [], cursor: nil)
        }

        func comparesRecords(cursor: String?) async throws -> Bool { cursor == "c" }

        func compare(_ records: [String: Digest], cursor: String?) async throws -> [RemoteDiagnostic] {
            records.keys.map {
                RemoteDiagnostic(rule: "", place: "\($0) \(cursor ?? "")", message: "", isSerious: true)
            }
        }

        func close(cursor: String?) async throws {}
    }
}
