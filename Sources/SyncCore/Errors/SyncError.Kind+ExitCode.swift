extension SyncError.Kind {
    /// The exit code of a program that ends with an error of this kind.
    package var exitCode: Int32 {
        switch self {
        case .notFound: 1
        case .usage: 64
        case .invalidInput, .wrongRemote, .unreadableStore: 65
        case .unreachable: 69
        case .inputOutput, .busy: 74
        case .notPermitted: 77
        }
    }
}
