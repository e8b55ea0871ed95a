import EntitySync

/// A remote that is ready to be synced with.
struct ConnectedRemote {
    /// The remote.
    let backend: any RemoteBackend
    /// Its own word that something changed; nil for one that says nothing.
    let changes: (@Sendable () -> AsyncThrowingStream<Void, any Error>)?
}

extension Workspace {
    /// What an HTTP client needs from outside.
    var surroundings: HTTPSurroundings {
        HTTPSurroundings(clock: clock, random: random, sleeper: SystemSleeper())
    }
}

extension RemoteArgument {
    /// The backend for the remote. Reaches nothing yet.
    func connect(
        _ workspace: Workspace,
        tokenFile: String?,
        onRetry: @escaping @Sendable (HTTPRetry) -> Void = { _ in }
    ) throws -> ConnectedRemote {
        switch self {
        case .folder(let path): return ConnectedRemote(backend: FolderBackend(root: path), changes: nil)
        case .server(let url):
            let credentials = TokenInput(file: tokenFile)
            // NB: said before anything is opened, so that a missing token leaves no new store behind.
            _ = try credentials.token()
            let backend = HTTPBackend(
                url: url,
                credentials: credentials,
                surroundings: workspace.surroundings,
                onRetry: onRetry
            )
            return ConnectedRemote(backend: backend, changes: { backend.changes() })
        }
    }
}
