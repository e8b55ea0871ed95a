public import SyncCore
import SyncRuntime

extension SyncError {
    /// Any error of this package as one that can be shown: with a sentence, and with what to do next.
    ///
    /// ```swift
    /// do { try await accounts.signOut(.requireSynced) } catch { alert = SyncError(shown: error) }
    /// ```
    ///
    /// A `SyncError` is itself. Of an error from elsewhere, such as one that a closure of the app threw, only the type is
    /// named: its text may hold what is nobody else's business.
    public init(shown error: any Error) {
        switch error {
        case let error as SyncError: self = error
        case let refusal as UnsentRecords: self = .unsent(refusal: refusal)
        default:
            self.init(
                kind: .inputOutput,
                message: "The operation failed with an error of type \(type(of: error)).",
                help: "Try again; if it stays, report it with what was done before.",
                retry: .later
            )
        }
    }
}
