import SyncServer
import Testing

@Suite struct FrontChangeHubTests {
    @Test func aChangeReachesTheStreamsOfItsTopicOnly() async throws {
        let hub = ChangeHub()
        let first = try #require(hub.subscribe(to: "a", account: "x"))
        let second = try #require(hub.subscribe(to: "a", account: "y"))
        let other = try #require(hub.subscribe(to: "b", account: "x"))
        hub.publish("a")
        hub.close()
        #expect(await Array(first) == [1])
        #expect(await Array(second) == [1])
        #expect(await Array(other) == [])
    }

    @Test func changesThatNobodyReadAreOne() async throws {
        let hub = ChangeHub()
        let stream = try #require(hub.subscribe(to: "a", account: "x"))
        for _ in 0..<100_000 { hub.publish("a") }
        hub.close()
        #expect(await Array(stream) == [100_000])
    }

    @Test func anAccountAndTheServerHaveAtMostSoManyStreams() throws {
        let hub = ChangeHub(maxStreams: 3, maxStreamsPerAccount: 2)
        let kept = try (0..<2).map { try #require(hub.subscribe(to: "\($0)", account: "x")) }
        #expect(hub.subscribe(to: "c", account: "x") == nil)
        let third = try #require(hub.subscribe(to: "c", account: "y"))
        #expect(hub.subscribe(to: "c", account: "z") == nil)
        #expect(hub.openStreams == 3)
        withExtendedLifetime((kept, third)) {}
    }

    @Test func aReaderThatIsGoneGivesItsPlaceBack() async throws {
        let hub = ChangeHub(maxStreams: 1)
        for _ in 0..<100 {
            let stream = try #require(hub.subscribe(to: "a", account: "x"))
            let reader = Task { for await _ in stream {} }
            reader.cancel()
            await reader.value
        }
        #expect(hub.openStreams == 0)
    }

    /// A device that goes away while others write cancels its stream during a notification.
    @Test func readersMayLeaveDuringPublishing() async throws {
        let hub = ChangeHub(maxStreamsPerAccount: 1000)
        let publisher = Task.detached { for _ in 0..<5_000 { hub.publish("a") } }
        for _ in 0..<50 {
            let readers = try (0..<8).map { _ in
                let stream = try #require(hub.subscribe(to: "a", account: "x"))
                return Task.detached { for await _ in stream {} }
            }
            for reader in readers { reader.cancel() }
            for reader in readers { await reader.value }
        }
        await publisher.value
        #expect(hub.openStreams == 0)
    }

    @Test func aClosedHubEndsItsStreamsAndOpensNone() async throws {
        let hub = ChangeHub()
        let stream = try #require(hub.subscribe(to: "a", account: "x"))
        hub.close()
        #expect(await Array(stream) == [])
        #expect(hub.subscribe(to: "a", account: "x") == nil)
        #expect(hub.openStreams == 0)
    }
}

extension Array where Element == UInt64 {
    fileprivate init(_ stream: AsyncStream<UInt64>) async {
        self = await stream.reduce(into: []) { $0.append($1) }
    }
}
