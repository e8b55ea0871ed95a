import EntitySync
import Foundation
import SyncFileBackend
import SyncHTTPClient
import SyncServerBackend
import SyncSupabaseBackend

extension RemoteArgument {
    /// Makes the backend of the remote without connecting to it.
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
            // NB: this checks the token before anything is opened, so that a missing token creates no store.
            _ = try credentials.token()
            return HTTPBackend(
                url: url,
                credentials: credentials,
                environment: environment,
                onRetry: onRetry
            )
        case .supabase(let url):
            let credentials = TokenInput(file: options.tokenFile)
            _ = try credentials.token()
            return SupabaseBackend(
                url: url,
                publishableKey: ProcessInfo.processInfo.environment["SYNCCHECK_APIKEY"] ?? "",
                session: credentials,
                restPath: nil,
                environment: environment,
                onRetry: onRetry
            )
        }
    }
}
