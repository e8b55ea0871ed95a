/// Disables safeguards, one by one, so that tests can show that each of them is needed.
///
/// Only a build with the trait `Mutations` can do so, such as that of the tests. In an app, in debug and release
/// builds, `disables` is a constant, and the compiler removes the branches.
package enum Mutation {
    #if Mutations
        /// The safeguards that are disabled in this task.
        @TaskLocal package static var disabled: Set<Safeguard> = []

        /// Whether a safeguard is disabled.
        package static func disables(_ safeguard: Safeguard) -> Bool { disabled.contains(safeguard) }
    #else
        /// Whether a safeguard is disabled.
        @inlinable
        package static func disables(_ safeguard: Safeguard) -> Bool { false }
    #endif
}
