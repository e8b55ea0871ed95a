import SyncCore
import Testing

@testable import SyncHTTPClient

#if canImport(FoundationNetworking)
    @Suite struct ResponseParserTests {
        /// Parses pieces of a response. It ends by its own length, or at the end of the connection.
        static func read(pieces: [[UInt8]], method: String = "POST") throws -> (HTTPResponse?, ResponseParser)
        {
            var parser = ResponseParser(method: method)
            var answer: HTTPResponse?
            func take(_ events: [ResponseParser.Event]) {
                for event in events {
                    switch event {
                    case .head(let head): answer = head
                    case .piece(let bytes): answer?.body += bytes
                    case .end: break
                    }
                }
            }
            for piece in pieces { take(try parser.feed(piece)) }
            if !parser.isDone { take(try parser.close()) }
            return (answer, parser)
        }

        static let answers: [(text: String, status: Int, body: String, isReusable: Bool)] = [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", true),
            ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, "", true),
            ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", false),
            ("HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nok", 200, "ok", false),
            ("HTTP/1.1 204 No\r\n\r\n", 204, "", true),
            ("HTTP/1.1 304 No\r\nContent-Length: 9\r\n\r\n", 304, "", true),
            ("HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 1\r\n\r\nx", 201, "x", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nok", 200, "ok", true),
            ("HTTP/1.1 200 OK\n\nto the end", 200, "to the end", false),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5;a=b\r\nhello\r\n0A\r\n, and more\r\n0\r\nX: y\r\n\r\n",
                200, "hello, and more", true
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
                200, "a", false
            ),
        ]

        @Test(arguments: answers.indices)
        func anAnswerIsReadHoweverItIsSplit(index: Int) throws {
            let expected = Self.answers[index]
            let bytes = Array(expected.text.utf8)
            var splits = (0...bytes.count).map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
            splits.append(bytes.map { [$0] })
            for pieces in splits {
                let (answer, parser) = try Self.read(pieces: pieces)
                #expect(answer?.status == expected.status)
                #expect(answer.map { String(decoding: $0.body, as: UTF8.self) } == expected.body)
                #expect(parser.isReusable == expected.isReusable)
            }
        }

        @Test func whatFollowsTheAnswerMakesTheConnectionUseless() throws {
            let (answer, parser) = try Self.read(pieces: [
                Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP".utf8)
            ]
            )
            #expect(answer?.body == [0x78])
            #expect(!parser.isReusable)
        }

        @Test(
            arguments: [
                "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
                "HTTP/1.1 099 OK\r\n\r\n",
                "HTTP/1.1 101 Switch\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
                "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\na",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\na",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "HTTP/1.1 200 OK\r\n", "\r\n\r\n", "",
            ]
        )
        func whatIsNoWholeAnswerIsInterrupted(text: String) {
            #expect(throws: TransportError.interrupted) { try Self.read(pieces: [Array(text.utf8)]) }
        }

        @Test func aHeadALineAndTrailersHaveALimit() {
            let long = String(repeating: "x", count: ResponseParser.maxHeadBytes)
            let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            let trailers = String(repeating: "A: \(String(repeating: "b", count: 1000))\r\n", count: 100)
            for text in [
                "HTTP/1.1 200 OK\r\nA: \(long)", "HTTP/1.1 200 OK\r\nA: \(long)\r\n\r\n",
                "\(chunked)1;\(long)",
                "\(chunked)0\r\n\(trailers)",
            ] {
                #expect(throws: TransportError.tooLarge) { try Self.read(pieces: [Array(text.utf8)]) }
            }
        }

        @Test func aPackedBodyIsRefusedByItsHead() {
            #expect(throws: TransportError.tooLarge) {
                try Self.read(pieces: [Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8)])
            }
        }
    }
#endif
