/// The numbers of attempts and of the waits between them, with which `Setback` decides. The defaults are a call's.
package struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts, including the first.
    package var attempts: Int
    /// The maximum number of attempts without a connection. A machine that is offline usually stays so for a while.
    package let unreachableAttempts = 3
    /// The maximum number of attempts without an answer in time, so that the call ends within a minute.
    package let silentAttempts = 2
    /// The waits in seconds after 429 or 503 without `Retry-After`. Their number is the maximum number of retries.
    package let busySeconds = [5.0, 30]
    /// The bound of the first wait in seconds.
    package var baseSeconds = 0.25
    /// The largest bound of a wait in seconds.
    package var capSeconds = 20.0
    /// The shortest wait in seconds.
    package var floorSeconds = 0.0
    /// The longest wait in seconds that a remote can ask for, and about the most that one call waits for it in total.
    /// A call that is asked for more ends with an error.
    package var maxRetryAfterSeconds = 60.0

    /// Makes a policy with so many attempts.
    package init(attempts: Int = 5) {
        self.attempts = attempts
    }
}
