import EntitySync

extension RemoteArgument {
    /// The backend for the remote. Reaches nothing yet.
    func connect(
        _ workspace: Workspace,
        options: ServerOptions,
        onRetry: @escaping @Sendable (HTTPRetry) -> Void = { _ in }
    ) throws -> any RemoteBackend {
        let environment = try options.environment(workspace: workspace, remote: self)
        switch self {
        case .folder(let path): return FolderBackend(root: path)
        case .server(let url):
            let credentials = TokenInput(file: options.tokenFile)
            // NB: said before anything is opened, so that a missing token leaves no new store behind.
            _ = try credentials.token()
            return HTTPBackend(
                url: url,
                credentials: credentials,
                environment: environment,
                onRetry: onRetry
            )
        }
    }
}
