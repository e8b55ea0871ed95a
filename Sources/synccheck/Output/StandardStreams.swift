import SyncCore
import SyncFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The standard streams of the process.
enum StandardStreams {
    /// An output stream.
    enum Stream: Int32 {
        case output = 1
        case error = 2

        /// Whether the stream is a terminal.
        var isTerminal: Bool { isatty(rawValue) == 1 }
    }

    /// Makes a closed pipe (`| head`) end the process silently, as usual for command-line tools.
    static func endQuietlyOnBrokenPipe() {
        signal(SIGPIPE, SIG_DFL)
    }

    /// Writes text and ignores errors, because there is nowhere left to report them.
    static func write(_ text: String, to stream: Stream) {
        _ = try? write(Array(text.utf8), to: stream)
    }

    /// Writes all bytes.
    static func write(_ bytes: [UInt8], to stream: Stream) throws {
        let number = DescriptorIO.write(stream.rawValue, bytes: bytes)
        guard number == 0 else { throw SyncError.cannotPrint(number: number) }
    }

    /// The display name of this computer.
    static var hostName: String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let isKnown = bytes.withUnsafeMutableBytes { buffer -> Bool in
            guard let start = buffer.baseAddress else { return false }
            return gethostname(start.assumingMemoryBound(to: CChar.self), buffer.count - 1) == 0
        }
        guard isKnown else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
