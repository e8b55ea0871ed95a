import Foundation
import SyncCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Answers an operator's questions on a Unix socket: one line each, one connection at a time.
struct AdminSocket {
    private let descriptor: Int32
    private let path: String
    /// How long to wait for something of which the system has none left.
    private static let secondsToWait = 0.1

    /// Makes the socket, with mode 0600. A socket that a server has left behind is replaced; any other file is not
    /// touched. Throws `SyncError`.
    init(path: String) throws {
        let address = try UnixSocketAddress(path: path)
        self.path = path
        descriptor = UnixSocketAddress.makeSocket()
        guard descriptor >= 0 else { throw SyncError.cannotMakeSocket }
        do { try Self.makeRoom(path: path, address: address) } catch {
            close(descriptor)
            throw error
        }
        // NB: the mode comes from the mask, so that nobody else can connect between making and restricting it.
        let mask = umask(0o177)
        let number = address.use(body: { bind(descriptor, $0, $1) }) == 0 ? 0 : errno
        umask(mask)
        guard number == 0, listen(descriptor, 8) == 0 else {
            close(descriptor)
            let isDenied = [EACCES, EPERM, EROFS].contains(number)
            throw isDenied
                ? SyncError.notPermitted(what: "Making the operator's socket") : SyncError.cannotMakeSocket
        }
    }

    /// Answers on a thread of its own until the process ends.
    func start(answer: @escaping @Sendable (_ question: String) async -> String) {
        Thread.detachNewThread { [descriptor] in
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else {
                    switch Next(afterError: errno) {
                    case .goOn: continue
                    case .wait:
                        Thread.sleep(forTimeInterval: Self.secondsToWait)
                        continue
                    case .end: return
                    }
                }
                Self.serve(client, answer: answer)
                close(client)
            }
        }
    }

    /// Removes the socket's file.
    func remove() { unlink(path) }

    private static func serve(_ client: Int32, answer: @escaping @Sendable (String) async -> String) {
        UnixSocketAddress.limitWaiting(on: client, seconds: 5)
        guard let question = UnixSocketAddress.line(from: client, most: 256) else { return }
        let result = Answer()
        let isDone = DispatchSemaphore(value: 0)
        Task {
            result.text = await answer(question)
            isDone.signal()
        }
        isDone.wait()
        UnixSocketAddress.write(line: result.text, to: client)
    }

    /// Removes a socket that no server listens on any more.
    private static func makeRoom(path: String, address: UnixSocketAddress) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw SyncError.cannotMakeSocket }
        let probe = UnixSocketAddress.makeSocket()
        defer { close(probe) }
        guard address.use(body: { connect(probe, $0, $1) }) != 0 else { throw SyncError.socketInUse }
        unlink(path)
    }

    /// What follows on a connection that could not be taken.
    enum Next {
        /// The next connection is taken.
        case goOn
        /// The system has none left of something that comes back, such as descriptors: the same connection is tried
        /// again a moment later.
        case wait
        /// No connection can be taken any more.
        case end

        /// Decides by the error number of `accept`.
        init(afterError number: Int32) {
            switch number {
            case EINTR, ECONNABORTED: self = .goOn
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: self = .wait
            default: self = .end
            }
        }
    }

    /// Written before the semaphore is signalled, read after it.
    private final class Answer: @unchecked Sendable {
        var text = ""
    }
}
