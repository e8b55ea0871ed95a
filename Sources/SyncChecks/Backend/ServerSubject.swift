public import SyncCore
public import SyncHTTPClient
import SyncServerBackend
import SyncWire

/// A subject that uses scratch logs of a live server. The account's own records are not touched.
public struct ServerSubject: BackendSubject {
    /// The entities that the suite uses.
    public let entities: [EntityDescriptor]
    private let client: HTTPClient
    private let limits: HTTPLimits
    private let random: any RandomSource

    /// Makes a subject. The server must know the given entities.
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
        // Small pages, so that checks of page borders need few records.
        limits = HTTPLimits(pageRecords: 7, pushChanges: 10, aheadBytes: 0, preparesAhead: false)
    }

    /// Makes a remote with an unused log name. The server creates the log at the first request.
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
