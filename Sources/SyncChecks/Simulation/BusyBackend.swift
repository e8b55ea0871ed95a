package import SyncCore

/// A backend wrapper that lets other events happen between the messages of a sync.
package struct BusyBackend: RemoteBackend {
    let base: any RemoteBackend
    /// Called before and after each message with its name. An error ends the sync there.
    let moment: @Sendable (String) async throws -> Void

    package init(base: any RemoteBackend, moment: @escaping @Sendable (String) async throws -> Void) {
        self.base = base
        self.moment = moment
    }

    package var capabilities: RemoteCapabilities { base.capabilities }

    package func open(_ request: SessionRequest) async throws -> any RemoteSession {
        try await moment("before it asks")
        let session = try await base.open(request)
        try await moment("after the first answer")
        return Session(base: session, moment: moment)
    }

    package func conditions() async -> RemoteConditions { await base.conditions() }

    package func accountResumed() async { await base.accountResumed() }

    private struct Session: RemoteSession {
        let base: any RemoteSession
        let moment: @Sendable (String) async throws -> Void

        var greeting: SessionGreeting { base.greeting }

        func fetch() async throws -> RemotePage? {
            try await moment("before it pulls")
            let page = try await base.fetch()
            try await moment("with a page in its hands")
            return page
        }

        func pushLimit() async -> PushLimit { await base.pushLimit() }

        func recordLimit() async -> Int? { await base.recordLimit() }

        func requests() async -> Int { await base.requests() }

        func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
            try await moment("before it packs")
            return try await base.prepare(changes, cursor: cursor)
        }

        func push(_ prepared: PreparedPush) async throws -> PushReceipt {
            try await moment("before it pushes")
            let receipt = try await base.push(prepared)
            try await moment("before it hears the answer")
            return receipt
        }

        func comparesRecords(cursor: String?) async throws -> Bool {
            try await base.comparesRecords(cursor: cursor)
        }

        func compare(_ records: [String: Digest], cursor: String?) async throws -> [RemoteDiagnostic] {
            try await base.compare(records, cursor: cursor)
        }

        func close(cursor: String?) async throws {
            try await moment("before it ends")
            try await base.close(cursor: cursor)
        }
    }
}
