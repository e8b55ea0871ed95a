/// Disables safeguards, one by one, so that tests can show that each of them is needed.
///
/// The product has none of this: it is part of a copy of the sources alone, in which patches make each safeguard a switch
/// (`Tests/Mutations/apply`).
package enum Mutation {
    /// The safeguards that are disabled in this task.
    @TaskLocal package static var disabled: Set<Safeguard> = []

    /// Whether a safeguard is disabled.
    package static func disables(_ safeguard: Safeguard) -> Bool { disabled.contains(safeguard) }
}
