/// Takes safeguards away, one by one, so that tests can show that each of them is missed.
///
/// Only a build with the trait `Mutations` can do so, as the tests are built. In an app, built for debugging or for
/// release, `disables` is a constant, and the compiler removes what it guards.
package enum Mutation {
    #if Mutations
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
