import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Merging has a short way for plain versions. It must never come to anything but what the long one comes to.
@Suite struct PlainMergeTests {
    private static let fields = [
        Entities.tags,
        FieldDescriptor("status", type: .string(), isRequired: true, defaultJSON: #""new""#),
        FieldDescriptor("deletedAt", type: .dateTime, isNullable: true),
        FieldDescriptor("draft", type: .string(), isLocalOnly: true),
    ]

    @Test(arguments: MergeStrategy.allCases, MergeGranularity.allCases)
    func plainVersionsMeetAsAllDo(_ strategy: MergeStrategy, _ granularity: MergeGranularity) throws {
        let known = Entities.note(
            strategy,
            granularity: granularity,
            fields: Self.fields,
            deleted: "deletedAt"
        )
        let ruled = Entities.note(strategy, granularity: granularity, fields: Entities.rules)
        let older = Entities.note(strategy, granularity: granularity)
        let pairs: [(EntityDescriptor, EntityDescriptor?)] = [(known, nil), (ruled, nil), (ruled, older)]
        for (entity, older) in pairs {
            var met = Met()
            for number in 0..<20 {
                try meet(entity, older, UInt64(number), &met)
            }
            #expect(met.plainly > 100, "\(met) of \(strategy) by \(granularity)")
            #expect(met.otherwise > 50, "\(met) of \(strategy) by \(granularity)")
        }
    }

    /// How many pairs met by the short way, and how many had to take the long one.
    private struct Met {
        var plainly = 0
        var otherwise = 0
    }

    private func meet(
        _ entity: EntityDescriptor,
        _ older: EntityDescriptor?,
        _ number: UInt64,
        _ met: inout Met
    )
        throws
    {
        var seed = Seed(number)
        let versions = try MergeLaws(entity, older: older).history(&seed, steps: 14)
        for _ in 0..<16 {
            guard let left = versions.randomElement(using: &seed),
                let right = versions.randomElement(using: &seed)
            else { continue }
            do {
                for joinsTimes in [false, true] {
                    var merge = Merge(entity, joinsAgreedTimes: joinsTimes)
                    let isPlain = merge.plainly(left, right, joinsTimes: joinsTimes) != nil
                    let short = (merge(left, right), merge.agreed(left, right))
                    merge.meetsPlainly = false
                    let long = (merge(left, right), merge.agreed(left, right))
                    if short != long { Issue.record("seed \(number): \(left) meets \(right)") }
                    if isPlain { met.plainly += 1 } else { met.otherwise += 1 }
                }
            }
        }
    }
}
