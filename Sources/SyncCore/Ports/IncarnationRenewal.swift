/// How a store takes a new incarnation: what of the old one is in doubt.
public struct IncarnationRenewal: Sendable, Hashable {
    /// The lowest sequence of the old incarnation that others may know with another content. Records with edits from
    /// there on are published again as edits of the new one. Nil where only edits that were never published are in
    /// doubt.
    public var firstDoubtful: Int64?
    /// What the full state of the remote is compared for, once the store is the new incarnation; nil where it is not.
    public var comparing: RemotePage.Absence?
    /// What is told to a person; nil where nothing is.
    public var notice: RemoteDiagnostic?

    /// Makes one; without arguments nothing that was published is in doubt.
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
