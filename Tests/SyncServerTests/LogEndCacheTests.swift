import SyncCore
import Testing

@testable import SyncServer

/// A cached end of a log is never older than an answer.
@Suite struct LogEndCacheTests {
    private let logEnds = LogEndCache()
    private let device = DeviceID(bits: 1)
    private let cursor = PageCursor(epoch: "e", seen: 5, run: "r", isSnapshot: false, places: [:])
    private var head: LogEndCache.LogEnd {
        LogEndCache.LogEnd(epoch: "e", revision: 5, run: "r", batches: [device: "b"])
    }

    private var isKnown: Bool {
        logEnds.reached(account: "ada", cursor: cursor, entities: [], device: device) != nil
    }

    @Test func whatAReaderFoundIsRememberedUntilSomebodyWrites() {
        logEnds.end(logEnds.begin("ada", isWriting: false), hasChanged: false, head: head)
        #expect(isKnown)
        let writer = logEnds.begin("ada", isWriting: true)
        #expect(!isKnown)
        logEnds.end(writer, hasChanged: false)
        #expect(!isKnown)
    }

    @Test func whatAReaderFoundDuringAWriteIsNotRemembered() {
        let writer = logEnds.begin("ada", isWriting: true)
        let during = logEnds.begin("ada", isWriting: false)
        logEnds.end(during, hasChanged: false, head: head)
        #expect(!isKnown)
        let late = logEnds.begin("ada", isWriting: false)
        logEnds.end(writer, hasChanged: true)
        logEnds.end(late, hasChanged: false, head: head)
        #expect(!isKnown, "it may have read before the write")
        logEnds.end(logEnds.begin("ada", isWriting: false), hasChanged: false, head: head)
        #expect(isKnown)
    }

    @Test func whoTellsSomethingNewChangesTheEndForThoseBesideIt() {
        let (sender, reader) = (
            logEnds.begin("ada", isWriting: false), logEnds.begin("ada", isWriting: false)
        )
        logEnds.end(sender, hasChanged: true, head: head)
        logEnds.end(reader, hasChanged: false, head: head)
        #expect(!isKnown)
    }

    @Test func anotherAccountsWriterDisturbsNobody() {
        let writer = logEnds.begin("eve", isWriting: true)
        logEnds.end(logEnds.begin("ada", isWriting: false), hasChanged: false, head: head)
        logEnds.end(writer, hasChanged: true)
        #expect(isKnown)
    }
}
