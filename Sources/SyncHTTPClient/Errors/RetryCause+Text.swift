extension RetryCause {
    /// The cause in one sentence.
    var sentence: String {
        switch self {
        case .unreachable: "The server cannot be reached: no connection could be made."
        case .interrupted: "The connection to the server broke off."
        case .timedOut: "The server is too slow to answer."
        case .status(429): "The server takes no more requests for now (status 429)."
        case .status(let status): "The server cannot answer now (status \(status))."
        case .redirect(let status):
            "The answer did not come from a sync server: it leads elsewhere (status \(status))."
        case .foreignAnswer: "The answer did not come from a sync server."
        }
    }

    /// What the user can do about it.
    var help: String {
        switch self {
        case .unreachable: "Check the network and the URL, and sync again; nothing was lost."
        case .interrupted, .timedOut, .status: "Sync again later; nothing was lost."
        case .redirect, .foreignAnswer:
            "Check the URL. A network that asks to sign in first, or a proxy, may have answered instead."
        }
    }
}
