import Foundation
import Testing

@testable import syncbench

@Suite struct BenchResultsTests {
    @Test func theRatiosOfTheGoalsAreThere() {
        #expect(
            Ratios.all.map(\.name) == [
                "pull", "pull-by-hand", "push", "put", "put-during-pull", "read", "observe", "observe-join",
                "search", "inspect", "idle", "idle-first", "incremental", "repull", "memory", "folder-first",
                "folder-idle", "server", "end-to-end", "generate", "sql-push", "sql-edit", "sql-idle",
                "sql-page", "sql-page-rendered", "sql-load", "sql-size", "sql-insert-by-8",
                "sql-update-by-8", "sql-bulk-insert", "sql-bulk-update", "sql-bulk-delete", "sql-processes",
                "server-push-small", "server-idle", "server-neighbour", "server-neighbour-sql",
            ]
        )
    }

    @Test(arguments: [2, 4, 6])
    func eachSideIsMeasuredAtEachPlaceAndAfterEachOther(count: Int) {
        let orders = (0..<count).map { Bench.order(of: count, in: $0) }
        for place in 0..<count { #expect(Set(orders.map { $0[place] }).count == count) }
        let pairs = orders.flatMap { zip($0, $0.dropFirst()).map { [$0, $1] } }
        #expect(Set(pairs).count == count * (count - 1) && pairs.count == count * (count - 1))
    }

    @Test func theOutputForScriptsNamesEveryRatioWithItsFigures() throws {
        var results = BenchResults()
        for (index, ratio) in Ratios.all.enumerated() {
            let found = Measurement(ratio: 1.25, ours: 2.5, yardstick: 2, note: "said \"so\"")
            results.add(ratio, outcome: index == 3 ? .failure(Unmeasured(reason: "off")) : .success(found))
        }
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(results.json.utf8)) as? [String: Any]
        )
        #expect((object["machine"] as? String)?.isEmpty == false)
        let rows = try #require(object["results"] as? [[String: Any]])
        #expect(rows.map { $0["name"] as? String } == Ratios.all.map(\.name))
        for (index, row) in rows.enumerated() {
            #expect(row["goal"] as? String == Ratios.all[index].goal.text)
            if index == 3 {
                #expect(row["ratio"] is NSNull)
                #expect(row["met"] as? Bool == false)
                #expect(row["note"] as? String == "off")
            } else {
                #expect(row["ratio"] as? Double == 1.25)
                #expect(row["ours"] as? Double == 2.5)
                #expect(row["yardstick"] as? Double == 2)
                #expect(row["met"] as? Bool == Ratios.all[index].goal.isMet(by: 1.25))
                #expect(row["note"] as? String == "said \"so\"")
            }
        }
    }

    @Test func aConditionThatDoesNotHoldIsNotMetWhateverTheRatio() {
        var results = BenchResults()
        results.add(
            Ratios.all[0],
            outcome: .success(Measurement(ratio: 1, ours: 1, yardstick: 1, holds: false))
        )
        #expect(!results.areMet)
        var others = BenchResults()
        others.add(Ratios.all[0], outcome: .success(Measurement(ratio: 1, ours: 1, yardstick: 1)))
        #expect(others.areMet)
    }

    @Test func aRatioThatTakesMoreProcessorTimeThanItsBoundIsNotMet() {
        var sides = Sides()
        sides.ours = Times(elapsed: [1], worked: [2.5])
        sides.yardstick = Times(elapsed: [2], worked: [2])
        #expect(Measurement.over(sides: sides, processorAtMost: 1.25).meetsProcessorGoal)
        let found = Measurement.over(sides: sides, note: "more", processorAtMost: 1.2)
        #expect(found.holds && found.ratio == 0.5)
        var results = BenchResults()
        results.add(Ratios.all[0], outcome: .success(found))
        #expect(!results.areMet)
        #expect(found.note == "CPU 1.25 (<= 1.2); more")
        let worked = Measurement.overProcessorTime(sides: sides, note: "all")
        #expect(worked.ratio == 1.25 && worked.ours == 2.5)
        #expect(worked.note == "by the clock 0.500; all")
    }

    @Test func theMiddleValueCounts() {
        #expect([3, 1, 2].median == 2)
        #expect([4, 1, 2, 3].median == 2.5)
        #expect([Double]().median.isNaN)
    }
}
