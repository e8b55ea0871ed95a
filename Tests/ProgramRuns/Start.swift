import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Starts a program with the given streams, and nothing else of this process.
struct Start {
    private let actions: UnsafeMutablePointer<posix_spawn_file_actions_t>

    init() {
        actions = .allocate(capacity: 1)
        posix_spawn_file_actions_init(actions)
    }

    func discard() {
        posix_spawn_file_actions_destroy(actions)
        actions.deallocate()
    }

    func read(from path: String) {
        posix_spawn_file_actions_addopen(actions, 0, path, O_RDONLY, 0)
    }

    func write(_ stream: Int32, to path: String) {
        posix_spawn_file_actions_addopen(actions, stream, path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    }

    func pass(_ descriptor: Int32, as stream: Int32) {
        posix_spawn_file_actions_adddup2(actions, descriptor, stream)
    }

    /// Starts the program in a folder. Throws `NotStarted`.
    func run(command: [String], in folder: String, environment: [String]) throws -> pid_t {
        let attributes = UnsafeMutablePointer<posix_spawnattr_t>.allocate(capacity: 1)
        posix_spawnattr_init(attributes)
        defer {
            posix_spawnattr_destroy(attributes)
            attributes.deallocate()
        }
        // NB: a child inherits ignored and blocked signals, so they are reset.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(attributes, &none)
        posix_spawnattr_setsigdefault(attributes, &all)
        posix_spawnattr_setpgroup(attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(attributes, Int16(flags))
        Self.keepDescriptors()
        // The shell changes the folder and is then replaced by the program.
        let shell = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder]
        var words = (shell + command).map { strdup($0) } + [nil]
        var settings = environment.map { strdup($0) } + [nil]
        defer { for word in words + settings { free(word) } }
        var processID = pid_t()
        let code = posix_spawn(&processID, shell[0], actions, attributes, &words, &settings)
        guard code == 0 else { throw NotStarted(code: code) }
        return processID
    }

    /// Keeps open files of this process from child processes: a pipe that they inherited would never end.
    private static func keepDescriptors() {
        for descriptor in 3..<min(getdtablesize(), 1 << 16) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }
}

/// Thrown if a program could not be started.
public struct NotStarted: Error {
    /// The system's error number.
    public let code: Int32
}
