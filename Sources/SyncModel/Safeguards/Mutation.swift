/// Takes safeguards away, one by one, so that tests can show that each of them is missed.
///
/// Only programs built for debugging can do so. In a release build `disables` is a constant, and costs nothing.
package enum Mutation {
    #if DEBUG
        /// The safeguards that are missing in this task.
        @TaskLocal package static var disabled: Set<Safeguard> = []

        /// Whether a safeguard is missing.
        package static func disables(_ safeguard: Safeguard) -> Bool { disabled.contains(safeguard) }
    #else
        /// Whether a safeguard is missing.
        @inlinable
        package static func disables(_ safeguard: Safeguard) -> Bool { false }
    #endif
}
