import SyncCore
import Testing

@testable import SyncServer

/// What is remembered of a log's end is never older than an answer.
@Suite struct LogHeadsTests {
    private let heads = LogHeads()
    private let device = DeviceID(bits: 1)
    private let cursor = PageCursor(epoch: "e", seen: 5, run: "r", isSnapshot: false, places: [:])
    private var head: LogHeads.Head {
        LogHeads.Head(epoch: "e", revision: 5, run: "r", batches: [device: "b"])
    }

    private var isKnown: Bool {
        heads.reached(account: "ada", cursor: cursor, entities: [], device: device) != nil
    }

    @Test func whatAReaderFoundIsRememberedUntilSomebodyWrites() {
        heads.end(heads.begin("ada", isWriting: false), hasChanged: false, head: head)
        #expect(isKnown)
        let writer = heads.begin("ada", isWriting: true)
        #expect(!isKnown)
        heads.end(writer, hasChanged: false)
        #expect(!isKnown)
    }

    @Test func whatAReaderFoundDuringAWriteIsNotRemembered() {
        let writer = heads.begin("ada", isWriting: true)
        let during = heads.begin("ada", isWriting: false)
        heads.end(during, hasChanged: false, head: head)
        #expect(!isKnown)
        let late = heads.begin("ada", isWriting: false)
        heads.end(writer, hasChanged: true)
        heads.end(late, hasChanged: false, head: head)
        #expect(!isKnown, "it may have read before the write")
        heads.end(heads.begin("ada", isWriting: false), hasChanged: false, head: head)
        #expect(isKnown)
    }

    @Test func whoTellsSomethingNewChangesTheEndForThoseBesideIt() {
        let (teller, reader) = (
            heads.begin("ada", isWriting: false), heads.begin("ada", isWriting: false)
        )
        heads.end(teller, hasChanged: true, head: head)
        heads.end(reader, hasChanged: false, head: head)
        #expect(!isKnown)
    }

    @Test func anotherAccountsWriterDisturbsNobody() {
        let writer = heads.begin("eve", isWriting: true)
        heads.end(heads.begin("ada", isWriting: false), hasChanged: false, head: head)
        heads.end(writer, hasChanged: true)
        #expect(isKnown)
    }
}
