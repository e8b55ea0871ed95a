/// How fast decisions are, without the store around them.
enum PlanRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let (ordinary, heavy) = (PlanMix.ordinary(), PlanMix.heavy())
        let decisions = bench.records * 5
        let sides = try await bench.takeTurns([
            Bench.Side(prepare: {}, run: { keep(ordinary.decide(decisions)) }),
            Bench.Side(prepare: {}, run: { keep(heavy.decide(decisions / 5)) }),
        ])
        let perSecond = Double(decisions) / sides[0].median
        let worked = rate(perSecond: Double(decisions) / sides[0].worked.median)
        let heavier = rate(perSecond: Double(decisions / 5) / sides[1].median)
        return Measurement(
            ratio: perSecond,
            ours: perSecond,
            yardstick: nil,
            unit: "/s",
            note:
                "by CPU \(worked); \(ordinary.note); heavy sync (\(heavy.note)) \(heavier); each alone: "
                + rates(cases: ordinary.cases, decisions: bench.records),
            holds: ordinary.cases.allSatisfy(\.isRight)
        )
    }

    /// Decisions a second of each kind of case.
    private static func rates(cases: [PlanCase], decisions: Int) -> String {
        var kinds: [(name: String, count: Int, seconds: Double)] = []
        for lhs in cases {
            let count = max(1, decisions / 10)
            let seconds = ContinuousClock().measure { keep(lhs.decide(count)) }.seconds
            if let index = kinds.firstIndex(where: { $0.name == lhs.kind }) {
                kinds[index].count += count
                kinds[index].seconds += seconds
            } else {
                kinds.append((lhs.kind, count, seconds))
            }
        }
        return kinds.map { "\($0.name) \(rate(perSecond: Double($0.count) / $0.seconds))" }.joined(
            separator: ", "
        )
    }

    private static func rate(perSecond: Double) -> String { Figure.text(seconds: perSecond.rounded()) }

    /// Makes the compiler believe that a value is needed.
    @inline(never)
    private static func keep(_ value: Int) { withExtendedLifetime(value) {} }
}
