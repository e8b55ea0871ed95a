import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Messages of the DevTools protocol: JSON objects, each with a zero byte behind it.
final class DevToolsPipe: @unchecked Sendable {
    private typealias Waiting = CheckedContinuation<Data, any Error>

    private let input: Int32
    private let output: Int32
    private let lock = NSLock()
    // Guarded by `lock`.
    private var last = 0
    private var waiting: [Int: Waiting] = [:]

    init(input: Int32, output: Int32) throws {
        guard input >= 0, output >= 0 else {
            throw ChromiumBrowser.Failure(description: "The pipes could not be opened.")
        }
        self.input = input
        self.output = output
    }

    /// Reads answers on a thread of its own, for as long as this process runs.
    func start() {
        let thread = Thread { [self] in
            var message = Data()
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(output, &buffer, buffer.count)
                guard count > 0 else { return }
                for part in buffer[..<count].split(separator: 0, omittingEmptySubsequences: false)
                    .enumerated()
                {
                    if part.offset > 0 {
                        take(message)
                        message = Data()
                    }
                    message.append(contentsOf: part.element)
                }
            }
        }
        thread.start()
    }

    /// Sends a command and waits for its result, for at most a minute.
    func send(_ method: String, parameters: [String: Any], session: String?) async throws -> [String: Any] {
        let number = lock.withLock {
            last += 1
            return last
        }
        var message: [String: Any] = ["id": number, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        let bytes = try JSONSerialization.data(withJSONObject: message) + [0]
        let answer: Data = try await withCheckedThrowingContinuation { continuation in
            lock.withLock { waiting[number] = continuation }
            write(bytes)
            Task {
                try? await Task.sleep(for: .seconds(60))
                let error = ChromiumBrowser.Failure(
                    description: "\(method) was not answered within a minute."
                )
                self.finish(number, with: .failure(error))
            }
        }
        let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any] ?? [:]
        if let error = object["error"] as? [String: Any] {
            throw ChromiumBrowser.Failure(description: "\(method): \(error["message"] ?? error)")
        }
        return object["result"] as? [String: Any] ?? [:]
    }

    private func write(_ bytes: Data) {
        bytes.withUnsafeBytes { buffer in
            var start = 0
            while start < buffer.count {
                let count = systemWrite(
                    descriptor: input,
                    bytes: buffer.baseAddress.map { $0 + start },
                    count: buffer.count - start
                )
                if count <= 0 { return }
                start += count
            }
        }
    }

    /// Hands an answer to who waits for it. Events are not needed.
    private func take(_ message: Data) {
        let object = try? JSONSerialization.jsonObject(with: message) as? [String: Any]
        guard let number = object?["id"] as? Int else { return }
        finish(number, with: .success(message))
    }

    private func finish(_ number: Int, with result: Result<Data, any Error>) {
        lock.withLock { waiting.removeValue(forKey: number) }?.resume(with: result)
    }
}

/// The system's `write`, which the method above would otherwise hide.
private func systemWrite(descriptor: Int32, bytes: UnsafeRawPointer?, count: Int) -> Int {
    write(descriptor, bytes, count)
}
