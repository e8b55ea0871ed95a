import Foundation
import SyncCore

/// One device that pushes small batches and polls. Used by one thread at a time.
final class SmallPusher: @unchecked Sendable {
    private let token: String
    private var requests: BenchRequests
    private var next: Int

    /// - Parameter number: Which million of the input it pushes.
    init(token: String, number: Int, device: DeviceID = DeviceID(bits: 0x00f1_e2d3_c4b5_a697)) {
        self.token = token
        requests = BenchRequests(device: device)
        next = number * 1_000_000
    }

    /// Pushes so many batches of new records.
    func push(_ times: Int, records: Int = 1, port: Int) throws {
        let connection = try PlainHTTP(port: port)
        for _ in 0..<times {
            let request = requests.push(next..<next + records)
            next += records
            // Other devices of the account may push, too.
            try requests.take(try connection.exchange(request, token: token), pulled: nil)
        }
    }

    /// Polls so many times without news.
    func poll(_ times: Int, port: Int) throws {
        let connection = try PlainHTTP(port: port)
        for _ in 0..<times { try requests.take(try connection.exchange(requests.pull(), token: token)) }
    }

    /// Polls once, and then as long as a condition holds. Returns the seconds that each poll took.
    func waits(while condition: (Int) -> Bool, port: Int) throws -> [Double] {
        let connection = try PlainHTTP(port: port)
        let clock = ContinuousClock()
        var seconds: [Double] = []
        repeat {
            let time = try clock.measure {
                try requests.take(try connection.exchange(requests.pull(), token: token))
            }
            seconds.append(time.seconds)
        } while condition(seconds.count)
        return seconds
    }

    /// Has each of some clients push one record after the other; they take the ports by turns.
    static func push(_ clients: [SmallPusher], ports: ArraySlice<Int>, times: Int) throws {
        try ClientThreads(clients.count) { index in
            try clients[index].push(times, port: ports[ports.startIndex + index % ports.count])
        }
        .end()
    }
}
