#if Server
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOHTTP1

    /// An HTTP/1.1 connection that is registered in the connection table.
    struct GuardedChannel: ServerChildChannel {
        let channel: HTTP1Channel
        let table: ConnectionTable

        func setup(channel child: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
            // NB: the channel is closed only after its setup; an earlier error would end the listening socket.
            channel.setup(channel: child, logger: logger).map { value in
                table.add(child)
                return value
            }
        }

        func handle(value: HTTP1Channel.Value, logger: Logger) async {
            guard #available(macOS 15, iOS 18, *) else {
                return await channel.handle(value: value, logger: logger)
            }
            // A request that is answered from memory is read, answered and written without waking another thread.
            await withTaskExecutorPreference(LoopExecutor(loop: value.channel.eventLoop)) {
                await channel.handle(value: value, logger: logger)
            }
        }
    }

    /// Runs tasks on the thread of an event loop. What blocks or computes for long has to go elsewhere.
    @available(macOS 15, iOS 18, *)
    private final class LoopExecutor: TaskExecutor {
        private let loop: any EventLoop

        init(loop: any EventLoop) { self.loop = loop }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Accepts connections while there are free places, and otherwise asks the table to make room.
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

    /// Reports requests that are not valid HTTP. They are answered with 400 and never reach a handler.
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
