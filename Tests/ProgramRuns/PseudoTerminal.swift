import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A terminal without a screen, for what programs draw on one.
public final class PseudoTerminal {
    /// The end that a program gets.
    public let descriptor: Int32
    private let master: Int32
    private var bytes: [UInt8] = []

    /// Makes a terminal of some columns. Throws `None` if the system gives none.
    public init(columns: UInt16 = 80) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0, let name = Self.name(of: master) else { throw None() }
        descriptor = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw None() }
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0 else { throw None() }
        _ = fcntl(master, F_SETFL, fcntl(master, F_GETFL) | O_NONBLOCK)
    }

    /// Unlocks the program's end and returns its path.
    private static func name(of master: Int32) -> String? {
        #if canImport(Darwin)
            guard grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else { return nil }
            return String(cString: name)
        #else
            // The requests TIOCSPTLCK and TIOCGPTN, whose names Swift does not import.
            var (lock, number): (Int32, UInt32) = (0, 0)
            guard ioctl(master, 0x4004_5431, &lock) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
                return nil
            }
            return "/dev/pts/\(number)"
        #endif
    }

    deinit {
        close(descriptor)
        close(master)
    }

    /// Everything that was drawn so far.
    public var text: String {
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(master, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Thrown where the system gives no terminal.
    public struct None: Error {}
}
