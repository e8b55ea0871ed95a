import Foundation
import SyncCore

/// The system's wall clock.
struct SystemClock: SyncClock {
    func now() -> Timestamp { Timestamp(Date()) }
}

/// The system's cryptographically secure random number generator.
struct SystemRandom: RandomSource {
    func next() -> UInt64 { UInt64.random(in: .min ... .max) }
}
