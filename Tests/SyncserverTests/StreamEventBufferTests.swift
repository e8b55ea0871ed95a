#if Server
    import Testing

    @testable import syncserver

    @Suite struct StreamEventBufferTests {
        @Test func onlyTheLatestChangeAndOneHeartbeatWait() async {
            let news = StreamEventBuffer()
            for _ in 0..<3 { news.beat() }
            let (changes, continuation) = AsyncStream.makeStream(of: UInt64.self)
            for number in 1...3 { continuation.yield(UInt64(number)) }
            continuation.finish()
            await news.follow(changes)
            #expect(await news.next() == .change(3))
            #expect(await news.next() == .end)
        }

        @Test func aHeartbeatIsToldOnceAndAChangeThatComesLaterWakes() async {
            let news = StreamEventBuffer()
            news.beat()
            #expect(await news.next() == .heartbeat)
            let (changes, continuation) = AsyncStream.makeStream(of: UInt64.self)
            async let next = news.next()
            async let following: Void = news.follow(changes)
            continuation.yield(7)
            #expect(await next == .change(7))
            continuation.finish()
            await following
            #expect(await news.next() == .end)
        }

        @Test func aCancelledReaderIsToldNothing() async {
            let news = StreamEventBuffer()
            let reader = Task { await news.next() }
            reader.cancel()
            #expect(await reader.value == nil)
        }
    }
#endif
