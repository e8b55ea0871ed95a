import SyncCore

extension Setback {
    /// What failed, in one sentence.
    var sentence: String {
        switch cause {
        case .transport(.unreachable): "The server cannot be reached: no connection could be made."
        case .transport(.interrupted): "The connection to the server broke off."
        case .transport(.timedOut): "The server is too slow to answer."
        case .transport(.notSecure): "No secure connection to the server could be made."
        case .transport(.tooLarge): "The answer is larger than was asked for."
        case .status(429): "The server takes no more requests for now (status 429)."
        case .status(let status): "The server cannot answer now (status \(status))."
        case .foreign(let status) where (300..<400).contains(status):
            "The answer did not come from a sync server: it leads elsewhere (status \(status))."
        case .foreign(let status), .unexpected(let status):
            cause.isFinalStatus
                ? "The server gives an answer that is not part of the protocol (status \(status))."
                : "The answer did not come from a sync server."
        case .other: error?.message ?? "The request failed."
        }
    }

    /// What the user can do about it.
    var help: String {
        switch cause {
        case .transport(.unreachable): "Check the network and the URL, and sync again; nothing was lost."
        case .transport(.interrupted), .transport(.timedOut), .status, .other:
            "Sync again later; nothing was lost."
        case .transport(.notSecure): "Check the URL, this machine's clock and the server's certificate."
        case .transport(.tooLarge): "Check the URL: a sync server keeps to the limit. Nothing was changed."
        case .foreign, .unexpected:
            "Check the URL. A network that asks to sign in first, or a proxy, may have answered instead."
        }
    }
}
