import Foundation
import Testing

@testable import syncserver

@Suite struct AdminSocketTests {
    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func whatTheSystemHasNoneLeftOfIsWaitedFor(number: Int32) {
        #expect(AdminSocket.Next(afterError: number) == .wait)
    }

    @Test(arguments: [EINTR, ECONNABORTED]) func aConnectionThatIsGoneIsPassedOver(number: Int32) {
        #expect(AdminSocket.Next(afterError: number) == .goOn)
    }

    @Test(arguments: [EBADF, EINVAL, ENOTSOCK, EOPNOTSUPP]) func aSocketThatCannotBeUsedEnds(number: Int32) {
        #expect(AdminSocket.Next(afterError: number) == .end)
    }
}
