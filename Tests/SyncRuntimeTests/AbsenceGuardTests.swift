import SyncCore
import Testing

@testable import SyncRuntime

/// When records that a complete listing lacks count as deleted.
@Suite struct AbsenceGuardTests {
    @Test(arguments: [
        (known: 400, absent: 0), (400, 1), (400, 80), (100, 20), (10, 2), (10, 5), (8, 4), (4, 1), (4, 2),
        (2, 1),
        (0, 0),
    ])
    func asManyAsAPersonMayHaveDeletedAreBelieved(known: Int, absent: Int) {
        #expect(AbsenceGuard(known: known, absent: absent).isBelieved)
    }

    @Test(arguments: [
        (known: 400, absent: 399), (400, 400), (400, 81), (100, 21), (29, 6), (10, 6), (4, 3), (3, 2), (3, 3),
        (1, 1),
    ])
    func moreAreDoubtedUntilAPersonAgrees(known: Int, absent: Int) {
        #expect(!AbsenceGuard(known: known, absent: absent).isBelieved)
        #expect(AbsenceGuard(known: known, absent: absent, isAgreed: true).isBelieved)
    }
}
