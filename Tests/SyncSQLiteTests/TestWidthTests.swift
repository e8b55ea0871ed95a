import TestWidth
import Testing

/// A test waits for as many others as the machine can carry, and not for all.
@Suite struct TestWidthTests {
    @Test func theRunnerIsToldHowManyTestsMayRunAtOnce() {
        #expect(test_width() > 0)
    }
}
