/// How a store takes a new incarnation, and which edits of the old one are in doubt.
public struct IncarnationRenewal: Sendable, Hashable {
    /// The lowest sequence of the old incarnation that other devices may know with different content. Edits
    /// from here on are published again under the new incarnation. Nil if only unpublished edits are in doubt.
    public var firstDoubtful: Int64?
    /// What a record missing from the remote's full state means, once the store has its new incarnation. Nil if
    /// the full state is not compared.
    public var comparing: RemotePage.Absence?
    /// A notice for the person, if any.
    public var notice: RemoteDiagnostic?

    /// Makes a renewal. Without arguments, no published edit is in doubt.
    public init(
        firstDoubtful: Int64? = nil,
        comparing: RemotePage.Absence? = nil,
        notice: RemoteDiagnostic? = nil
    ) {
        self.firstDoubtful = firstDoubtful
        self.comparing = comparing
        self.notice = notice
    }
}
