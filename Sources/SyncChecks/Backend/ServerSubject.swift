public import SyncCore
public import SyncHTTPClient
import SyncServerBackend
import SyncWire

/// Scratch logs of a live server: the account's own records are not touched.
public struct ServerSubject: BackendSubject {
    /// The entities that the server knows.
    public let entities: [EntityDescriptor]
    private let client: HTTPClient
    private let limits: HTTPLimits
    private let random: any RandomSource

    /// Scratch logs of a server that knows the given entities, or more.
    public init(
        url: ServerURL,
        credentials: any CredentialSource,
        entities: [EntityDescriptor],
        environment: HTTPEnvironment
    ) {
        self.init(
            client: HTTPClient(
                url: url,
                credentials: credentials,
                conventions: .syncServer,
                environment: environment
            ),
            entities: entities,
            random: environment.random
        )
    }

    package init(client: HTTPClient, entities: [EntityDescriptor], random: any RandomSource) {
        self.client = client
        self.entities = entities
        self.random = random
        // Small pages, so that the checks of page borders need few records.
        limits = HTTPLimits(pageRecords: 7, pushChanges: 10)
    }

    /// Names a log that does not exist yet; the server makes it when it is first spoken to.
    public func makeRemote() async throws -> any ScratchRemote {
        let name = "conformance-\(DeviceID(bits: random.next()))"
        return ScratchLog(client: client, limits: limits, path: "\(WireProtocol.scratchPath)/\(name)")
    }
}

/// A scratch log.
private struct ScratchLog: ScratchRemote {
    let client: HTTPClient
    let limits: HTTPLimits
    let path: String

    var profile: SuiteProfile {
        .server(pageRecords: limits.pageRecords, canPurge: true, canRestart: true)
    }

    func backend(for device: DeviceID) async throws -> any RemoteBackend {
        HTTPBackend(client: client, limits: limits, path: path)
    }

    func purgeTombstones() async throws { try await client.command(path: "\(path)/purge") }

    func restart() async throws { try await client.command(path: "\(path)/restart") }

    func dispose() async throws { try await client.delete(path, timeoutSeconds: limits.timeoutSeconds) }
}
