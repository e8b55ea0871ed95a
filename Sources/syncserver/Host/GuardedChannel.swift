#if Server
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOHTTP1

    /// A connection that speaks HTTP/1.1 and stands in the table of connections.
    struct GuardedChannel: ServerChildChannel {
        let channel: HTTP1Channel
        let table: ConnectionTable

        func setup(channel child: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
            // NB: closed only once it is set up: an error on the way would end the listening socket.
            channel.setup(channel: child, logger: logger).map { value in
                table.add(child)
                return value
            }
        }

        func handle(value: HTTP1Channel.Value, logger: Logger) async {
            await channel.handle(value: value, logger: logger)
        }
    }

    /// Accepts connections while there are places, and has the table make room where there are none.
    struct ConnectionGate: AvailableConnectionsDelegate {
        let most: Int
        let table: ConnectionTable
        private var count = 0

        init(most: Int, table: ConnectionTable) {
            self.most = most
            self.table = table
        }

        mutating func connectionOpened() { count += 1 }
        mutating func connectionClosed() { count -= 1 }

        func isAcceptingNewConnections() -> Bool {
            if count < most { return true }
            table.makeRoom()
            return false
        }
    }

    /// Tells of requests that are no HTTP. They are answered with 400, and never reach a handler.
    final class FramingWatch: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = NIOAny
        private let onError: @Sendable () -> Void

        init(_ onError: @escaping @Sendable () -> Void) { self.onError = onError }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if error is HTTPParserError { onError() }
            context.fireErrorCaught(error)
        }
    }
#endif
