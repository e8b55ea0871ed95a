import EntitySync

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
    ) throws -> any RemoteBackend {
        switch self {
        case .folder(let path): return FolderBackend(root: path)
        case .server(let url):
            let credentials = TokenInput(file: tokenFile)
            // NB: said before anything is opened, so that a missing token leaves no new store behind.
            _ = try credentials.token()
            return HTTPBackend(
                url: url,
                credentials: credentials,
                surroundings: workspace.surroundings,
                onRetry: onRetry
            )
        }
    }
}
