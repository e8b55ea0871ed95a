/// How fast decisions are, without the store around them.
enum PlanRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let cases = PlanCase.all(isLinear: true) + PlanCase.all(isLinear: false)
        let decisions = bench.records
        let total = cases.reduce(0) { $0 + $1.share }
        let sides = try await bench.takeTurns(
            ours: Bench.Side(
                prepare: {},
                run: { for (share, one) in cases { keep(one.decide(decisions * share / total)) } }
            ),
            // Nothing but the loop around it, for the record.
            yardstick: Bench.Side(prepare: {}, run: {})
        )
        let made = cases.reduce(0) { $0 + decisions * $1.share / total }
        let perSecond = Double(made) / sides.ours.median
        return Measurement(
            ratio: perSecond,
            ours: perSecond,
            yardstick: nil,
            unit: "/s",
            note:
                "by CPU \(Figure.text((Double(made) / sides.ours.worked.median).rounded())); of 20: 8 taken, 3 known, 3 acknowledged, 6 concurrent, half of all with a server; a second: "
                + rates(cases, decisions),
            holds: cases.allSatisfy(\.case.isRight)
        )
    }

    /// Decisions a second of each kind of case.
    private static func rates(_ cases: [(share: Int, case: PlanCase)], _ decisions: Int) -> String {
        var kinds: [(name: String, count: Int, seconds: Double)] = []
        for (_, one) in cases {
            let count = max(1, decisions / cases.count)
            let seconds = ContinuousClock().measure { keep(one.decide(count)) }.seconds
            if let index = kinds.firstIndex(where: { $0.name == one.kind }) {
                kinds[index].count += count
                kinds[index].seconds += seconds
            } else {
                kinds.append((one.kind, count, seconds))
            }
        }
        return kinds.map { "\($0.name) \(Figure.text((Double($0.count) / $0.seconds).rounded()))" }
            .joined(separator: ", ")
    }

    /// Makes the compiler believe that a value is needed.
    @inline(never)
    private static func keep(_ value: Int) { withExtendedLifetime(value) {} }
}
