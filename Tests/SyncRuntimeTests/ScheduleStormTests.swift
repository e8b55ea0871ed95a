import SyncChecks
import SyncCore
import SyncRuntime
import SyncSchedule
import Testing

/// Random events for hours. The timeline itself checks that no two syncs run at once and no timer lies in the past.
@Suite struct ScheduleStormTests {
    static let seeds: [UInt64] = Array(0..<16)

    @Test(arguments: seeds)
    func everyWriteIsFollowedByASyncInTime(seed: UInt64) {
        var storm = Storm(seed: seed)
        for _ in 0..<600 { storm.step() }
        let bound = storm.line.state.policy.maxDelaySeconds + 2 * Storm.maxSyncSeconds + 0.001
        #expect(storm.longestWait > 0 && storm.longestWait <= bound, "seed \(seed): \(storm.longestWait) s")
    }

    @Test(arguments: seeds)
    func aRemoteThatFailsIsAskedAFewTimesAnHour(seed: UInt64) {
        var storm = Storm(seed: seed)
        storm.line.usualEnding = .failed(Setback(retry: .later))
        storm.kinds = [.write, .hint, .tick]
        storm.line.at(seconds: 0, event: .appBecameActive)
        while storm.line.seconds < 4 * 3600 { storm.step() }
        #expect(storm.mostInAnHour() <= 40, "seed \(seed): \(storm.mostInAnHour()) syncs in an hour")
        #expect(storm.line.starts.count > 4, "seed \(seed): it gave up")
    }

    @Test(arguments: seeds)
    func aRemoteThatFailsIsSparedByAnAppThatIsNot(seed: UInt64) {
        var storm = Storm(seed: seed)
        storm.line.usualEnding = .failed(Setback(retry: .later))
        storm.kinds = Set(Storm.Kind.allCases).subtracting([.manual])
        while storm.line.seconds < 4 * 3600 { storm.step() }
        #expect(storm.mostInAnHour() <= 150, "seed \(seed): \(storm.mostInAnHour()) syncs in an hour")
    }

    @Test(arguments: seeds)
    func whoeverAsksIsAnsweredOnce(seed: UInt64) {
        var storm = Storm(seed: seed)
        for _ in 0..<600 { storm.step() }
        storm.line.run(until: storm.line.seconds + 100)
        let ids = storm.line.story.flatMap { line -> [UInt64] in
            let words = line.split(separator: " ")
            return words[1] == "answer" ? words[2].split(separator: ",").compactMap { UInt64($0) } : []
        }
        #expect(ids.sorted() == Array(1...storm.asked), "seed \(seed)")
    }

    @Test func theSameEventsGiveTheSameStory() {
        var stories: [[String]] = []
        for _ in 0..<2 {
            var storm = Storm(seed: 7)
            for _ in 0..<500 { storm.step() }
            stories.append(storm.line.story)
        }
        #expect(stories[0] == stories[1])
        #expect(stories[0].count > 50)
    }
}

/// Events drawn from a seed.
private struct Storm {
    static let maxSyncSeconds = 3.0

    enum Kind: CaseIterable {
        case write, active, leave, network, hint, manual, tick, window, windowEnd, pause, resume, clock
    }

    var line: Timeline
    var kinds = Set(Kind.allCases)
    private(set) var asked: UInt64 = 0
    /// The longest that a write has waited for the start of a sync though nothing hindered it, in seconds.
    private(set) var longestWait = 0.0
    private var seed: Seed
    /// Since when a write of an entity waits though nothing hinders it.
    private var waiting: [String: Double] = [:]
    private var startsSeen = 0
    private var isOnline = true
    private var isPaused = false

    init(seed: UInt64) {
        self.seed = Seed(seed)
        line = Timeline(essential: ["note"])
        line.draws = Seed(seed &+ 1000)
    }

    /// Lets some time pass and tells an event.
    mutating func step() {
        let pause = Bool.random(using: &seed) ? 0.3 : Double.random(in: 0..<20, using: &seed)
        line.syncSeconds = Double.random(in: 0...Self.maxSyncSeconds, using: &seed)
        // A whole millisecond, which the timeline reaches exactly.
        let end = ((line.seconds + pause) * 1000).rounded() / 1000
        // In steps, so that what hinders a write is seen soon.
        while line.seconds < end {
            line.run(until: min(end, line.seconds + 0.5))
            watch()
        }
        let event = event()
        if case .localWrite(let names) = event {
            for name in names where waiting[name] == nil { waiting[name] = line.seconds }
        }
        line.at(seconds: line.seconds, event: event)
        watch()
    }

    func mostInAnHour() -> Int {
        line.starts.indices.map { first in
            line.starts[first...].prefix { $0 - line.starts[first] < 3_600_000_000 }.count
        }.max() ?? 0
    }

    private mutating func watch() {
        for index in startsSeen..<line.starts.count {
            for name in line.profiles[index].entities {
                guard let since = waiting.removeValue(forKey: name) else { continue }
                longestWait = max(longestWait, Double(line.starts[index]) / 1_000_000 - since)
            }
        }
        startsSeen = line.starts.count
        let isHindered = !isOnline || isPaused || line.phase == .suspended
        for (name, since) in waiting {
            if isHindered {
                waiting[name] = line.seconds
            } else {
                longestWait = max(longestWait, line.seconds - since)
            }
        }
    }

    private mutating func event() -> ScheduleEvent {
        let names = Set([Timeline.names.randomElement(using: &seed)!])
        switch Kind.allCases.filter(kinds.contains).randomElement(using: &seed)! {
        case .write: return .localWrite(entities: names)
        case .active: return .appBecameActive
        case .leave: return .appEnteredBackground
        case .network:
            isOnline.toggle()
            return .connectivity(isOnline: isOnline)
        case .hint: return .hint(entities: Bool.random(using: &seed) ? names : nil)
        case .manual:
            asked += 1
            return .manual(id: asked)
        case .tick: return .tick
        case .window:
            return .backgroundWindow(
                deadline: line.now.after(seconds: Double.random(in: 0...30, using: &seed))
            )
        case .windowEnd: return .backgroundWindowEnded
        case .pause:
            isPaused = true
            return .accountPaused
        case .resume:
            isPaused = false
            return .accountResumed
        case .clock:
            line.clockError += Int64.random(in: -3_600_000_000...3_600_000_000, using: &seed)
            return .tick
        }
    }
}

extension Timestamp {
    fileprivate func after(seconds: Double) -> Timestamp {
        Timestamp(microseconds: microseconds + Int64(seconds * 1_000_000))
    }
}
