import SyncCore

/// The remote of a session. Requests and answers are dropped once the account is left.
struct GatedBackend: RemoteBackend {
    let base: any RemoteBackend
    let gate: AccountGate

    var capabilities: RemoteCapabilities { base.capabilities }

    func hints() -> AsyncThrowingStream<Void, any Error> {
        gate.isOpen ? base.hints() : AsyncThrowingStream { $0.finish() }
    }

    func accountResumed() async { await base.accountResumed() }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        let session = try await gate.guarding { try await base.open(request) }
        return GatedSession(base: session, gate: gate)
    }

    func conditions() async -> RemoteConditions { await base.conditions() }
}

/// A session with a remote, behind the gate.
struct GatedSession: RemoteSession {
    let base: any RemoteSession
    let gate: AccountGate

    var greeting: SessionGreeting { base.greeting }

    func fetch() async throws -> RemotePage? {
        try await gate.guarding { try await base.fetch() }
    }

    var preparesAhead: Bool { base.preparesAhead }

    func pushLimit() async -> PushLimit { await base.pushLimit() }

    func recordLimit() async -> Int? { await base.recordLimit() }

    func requests() async -> Int { await base.requests() }

    func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
        try await gate.guarding { try await base.prepare(changes, cursor: cursor) }
    }

    func push(_ prepared: PreparedPush) async throws -> PushReceipt {
        try gate.beginPush()
        let receipt: PushReceipt
        do { receipt = try await base.push(prepared) } catch {
            try gate.endPush(isAnswered: false)
            throw error
        }
        try gate.endPush(isAnswered: true)
        return receipt
    }

    func comparesRecords(cursor: String?) async throws -> Bool {
        try gate.check()
        return try await base.comparesRecords(cursor: cursor)
    }

    func compare(_ records: [String: Digest], cursor: String?) async throws -> [RemoteDiagnostic] {
        try await gate.guarding { try await base.compare(records, cursor: cursor) }
    }

    func close(cursor: String?) async throws {
        try gate.check()
        try await base.close(cursor: cursor)
    }
}

extension AccountGate {
    /// The result of a call. Throws if the account was left before it or meanwhile.
    fileprivate func guarding<Result>(call: () async throws -> Result) async throws -> Result {
        try check()
        let result = try await call()
        try check()
        return result
    }
}
