import SyncCore

/// The scratch remote of a check, and its devices.
final class Scene: Sendable {
    let subject: any BackendSubject
    let remote: any ScratchRemote
    /// The capabilities of the remote's backend.
    let capabilities: RemoteCapabilities
    /// The entities for which the suite can generate records.
    let material: [Material]

    /// The most records that a check writes to cross a page border.
    static let maxBatch = 5_000

    init(_ subject: any BackendSubject) async throws {
        self.subject = subject
        // Entities without parents come first, because a remote may hold children back.
        let (children, others) = (
            subject.entities.filter { !$0.references.isEmpty },
            subject.entities.filter { $0.references.isEmpty }
        )
        material = (others + children).compactMap { Material($0) }
        guard !material.isEmpty else {
            throw CheckError.notApplicable("No entity has values that can be drawn.")
        }
        remote = try await subject.makeRemote()
        capabilities = try await remote.backend(for: DeviceID(bits: 0)).capabilities
        guard capabilities.contains(.versionMetadata) else {
            throw CheckError.notApplicable("The suite follows versions by their metadata.")
        }
    }

    func dispose() async throws { try await remote.dispose() }

    var profile: SuiteProfile { remote.profile }

    /// The entity that most checks use.
    var main: Material { material[0] }

    /// A store that never synced.
    func client(number: UInt64) -> Client {
        Client(number: number, remote: remote, entities: subject.entities)
    }

    /// A store that has synced for the first time.
    func freshClient(number: UInt64 = 99) async throws -> Client {
        let client = client(number: number)
        try await client.sync()
        return client
    }

    /// The number of records for two full pages and a part of a third. Skips the check if a page is too large.
    func threePages() throws -> Int {
        let count = profile.pageRecords.multipliedReportingOverflow(by: 2)
        guard !count.overflow, count.partialValue + 1 <= Self.maxBatch else {
            throw CheckError.notApplicable("A page holds more records than the suite writes.")
        }
        return count.partialValue + 1
    }

    func needs(_ promise: KeyPath<SuiteProfile, Bool>, why: String) throws {
        if !profile[keyPath: promise] { throw CheckError.notApplicable(why) }
    }

    func needs(capability: RemoteCapabilities, why: String) throws {
        if !capabilities.isSuperset(of: capability) { throw CheckError.notApplicable(why) }
    }

    /// Checks that every client shows the same as the first one.
    func requireSame(_ clients: [Client], what: String) throws {
        for client in clients.dropFirst() where client.shown != clients[0].shown {
            let missing = clients[0].shown.count { client.shown[$0.key] != $0.value }
            let surplus = client.shown.keys.count { clients[0].shown[$0] == nil }
            throw CheckError.failed(
                "Expected that \(what), but of \(clients[0].shown.count) records \(missing) are missing or other, "
                    + "and \(surplus) too many."
            )
        }
    }
}

/// Why a story ended early.
enum CheckError: Error {
    case failed(String)
    case notApplicable(String)

    var outcome: CheckOutcome {
        switch self {
        case .failed(let why): .failed(why)
        case .notApplicable(let why): .notApplicable(why)
        }
    }
}

/// Fails the check unless a condition holds: `require(count == 1, "one version", "\(count)")`.
func require(_ holds: Bool, expected: String, found: @autoclosure () -> String) throws {
    if !holds { throw CheckError.failed("Expected \(expected), but \(found()).") }
}

/// Returns the error of an action. Fails the check if it succeeds.
func requireError(_ expected: String, body: () async throws -> Void) async throws -> any Error {
    do {
        try await body()
    } catch let end as CheckError {
        throw end
    } catch {
        return error
    }
    throw CheckError.failed("Expected \(expected), but there was no error.")
}

extension Error {
    /// The message of our own errors. For others, which may contain values, only their type.
    var words: String { (self as? SyncError)?.message ?? "\(type(of: self))" }
}
