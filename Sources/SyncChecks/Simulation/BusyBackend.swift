import SyncCore

/// A remote in front of which a world can let something else happen, between any two of a sync's messages.
struct BusyBackend: RemoteBackend {
    let base: any RemoteBackend
    /// Called before and after each message, with its name.
    let moment: @Sendable (String) async -> Void

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        await moment("before it asks")
        let session = try await base.open(request)
        await moment("after the first answer")
        return Session(base: session, moment: moment)
    }

    func conditions() async -> RemoteConditions { await base.conditions() }

    func accountResumed() async { await base.accountResumed() }

    private struct Session: RemoteSession {
        let base: any RemoteSession
        let moment: @Sendable (String) async -> Void

        var greeting: SessionGreeting { base.greeting }

        func fetch() async throws -> RemotePage? {
            await moment("before it pulls")
            let page = try await base.fetch()
            await moment("with a page in its hands")
            return page
        }

        func pushLimit() async -> PushLimit { await base.pushLimit() }

        func requests() async -> Int { await base.requests() }

        func prepare(_ changes: [OutgoingChange], cursor: String?) async throws -> PreparedPush {
            await moment("before it packs")
            return try await base.prepare(changes, cursor: cursor)
        }

        func push(_ prepared: PreparedPush) async throws -> PushReceipt {
            await moment("before it pushes")
            let receipt = try await base.push(prepared)
            await moment("before it hears the answer")
            return receipt
        }

        func close(cursor: String?) async throws {
            await moment("before it ends")
            try await base.close(cursor: cursor)
        }
    }
}
