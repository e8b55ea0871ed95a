import EntitySync
import Foundation
import SyncCore
import Testing

@testable import syncbench

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A folder that is there while a test runs.
private func withBench(body: (Bench) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/syncbench-tests-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(Bench(records: 1000, rounds: 5, scratch: folder))
}

@Suite struct SystemRatioTests {
    @Test func aSyncWithNothingToDoIsOneRequestOverARealSocket() async throws {
        try await withBench { bench in
            let found = try await IdleRatio.measure(bench)
            #expect(found.holds, "\(found.note)")
            #expect(found.ours > 0)
        }
    }

    @Test func aFirstFolderSyncBringsEveryRecordToTheOtherDevice() async throws {
        try await withBench { bench in
            // Each round throws unless all records were pushed and pulled.
            let found = try await FolderFirstRatio.measure(bench)
            #expect(found.note.contains("1000 records"))
        }
    }

    @Test func theFirstSyncWithNothingToDoIsMeasuredBesideLaterOnes() async throws {
        try await withBench { bench in
            // Each round throws unless all records were pulled, and nothing after them.
            let found = try await IdleFirstRatio.measure(bench)
            #expect(found.ratio > 0)
            #expect(found.note.contains("1000 pulled records"))
        }
    }

    @Test func theProgramsAndTheScriptBringAllRecordsToTheOtherDevice() async throws {
        try await withBench { bench in
            do {
                // Each round throws unless all records are there, and marked as sent.
                let found = try await EndToEndRatio.measure(bench)
                #expect(found.ours > 0)
            } catch let unmeasured as Unmeasured where unmeasured.reason.contains("not built") {
                print(unmeasured.reason)
            }
        }
    }

    @Test func aFolderWithNothingNewIsSyncedWithoutNews() async throws {
        try await withBench { bench in
            let found = try await FolderIdleRatio.measure(bench)
            #expect(found.note.contains("200 records against 100"))
        }
    }

    @Test func recordsWrittenByHandAreReadBackAsTheyWere() throws {
        let input = BenchRecords()
        let records = (0..<50).map { input.record(index: $0) }
        var bytes = Array("[".utf8)
        for (index, record) in records.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            HandJSON.append(record, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        #expect(try HandJSON.scan(bytes, count: records.count) == records)
        // And they are the bytes that everybody else measures with.
        var writer = JSONWriter()
        BenchRecords.append(records[10], to: &writer)
        var one: [UInt8] = []
        HandJSON.append(records[10], to: &one)
        #expect(one == writer.bytes)
    }
}

@Suite struct GenerateRatioTests {
    @Test func aSecondRunOfTheGeneratorTouchesNoFile() async throws {
        let program = try #require(BuiltProgram("synccodegen", "synccodegen-tool"))
        try await withBench { bench in
            let folder = try bench.folder(path: "schemas")
            let paths = try GeneratedSchemas.write(5, fields: 30, to: folder)
            let (files, written) = try GenerateRatio.repeated(bench: bench) { output in
                try program.run(arguments: ["--output", output] + paths, in: folder)
            }
            #expect(files == 6)
            #expect(written == 0)
        }
    }

    @Test func aFileThatIsWrittenAgainCountsAsTouched() async throws {
        try await withBench { bench in
            let (files, written) = try GenerateRatio.repeated(bench: bench) { output in
                try Data("same".utf8).write(to: URL(fileURLWithPath: "\(output)/a.swift"), options: .atomic)
            }
            #expect(files == 1)
            #expect(written == 1)
        }
    }

    @Test func madeSchemasHaveAsManyFieldsAsAskedFor() async throws {
        try await withBench { bench in
            for path in try GeneratedSchemas.write(12, fields: 30, to: try bench.folder(path: "schemas")) {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                let schema = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
                #expect((schema["properties"] as? [String: Any])?.count == 30)
            }
        }
    }
}

@Suite struct PlotTests {
    @Test func aCurveIsAnXMLDocumentWithAPointForEachMeasurement() throws {
        let plot = SVGPlot(
            title: "Cost <of> \"growth\" & more",
            xLabel: "records",
            yLabel: "milliseconds",
            points: [(1000, 1.5), (10_000, 1.6), (100_000, 2), (1_000_000, 2.25)]
        )
        let document = Elements(plot.text)
        #expect(document.isWellFormed)
        #expect(document.names.count { $0 == "circle" } == 4)
        #expect(document.names.count { $0 == "polyline" } == 1)
        #expect(document.names.first == "svg")
        #expect(document.text.contains("Cost <of> \"growth\" & more"))
        #expect(document.text.contains("milliseconds"))
        #expect(document.text.contains("1,000,000"))
        #expect(plot.text == plot.text)
        // The pages show their pictures on light and dark ground.
        #expect(plot.text.contains("prefers-color-scheme: dark"))
    }

    @Test func oneMeasurementAndNoneAreDocumentsToo() {
        for points in [[(1000.0, 0.0)], []] {
            let plot = SVGPlot(title: "t", xLabel: "x", yLabel: "y", points: points)
            let document = Elements(plot.text)
            #expect(document.isWellFormed)
            #expect(document.names.count { $0 == "circle" } == points.count)
            #expect(!plot.text.contains("nan") && !plot.text.contains("inf"))
        }
    }

    @Test func growthIsMeasuredAndTravelsBetweenProcesses() async throws {
        let growth = try await Growth.measure(1000)
        #expect(growth.records == 1000)
        #expect(growth.fileBytes > 100_000)
        // No record is missing where one was written or looked for, else this would have thrown.
        for seconds in [growth.idleSeconds, growth.putSeconds, growth.readSeconds] { #expect(seconds > 0) }
        #expect(Growth(line: growth.line + "\n") == growth)
        #expect(Growth(line: "1000 2") == nil)
        let plots = Plots.plots(growth: [growth])
        #expect(plots.map(\.name) == ["pull", "incremental", "idle", "put", "read", "disk", "memory"])
        for (_, plot) in plots { #expect(Elements(plot.text).names.contains("circle")) }
    }

    /// What an XML document holds.
    private final class Elements: NSObject, XMLParserDelegate {
        var names: [String] = []
        var text = ""
        var isWellFormed = false

        init(_ document: String) {
            super.init()
            let parser = XMLParser(data: Data(document.utf8))
            parser.delegate = self
            isWellFormed = parser.parse()
        }

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String] = [:]
        ) { names.append(name) }

        func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }
    }
}

@Suite struct BenchArgumentTests {
    @Test(arguments: [
        ["--unknown"], ["--only"], ["--only", "speed"], ["--records", "many"], ["--records", "10"],
        ["--rounds", "1"], ["--sizes", ""], ["--sizes", "1000,few"],
    ])
    func whatIsNotUnderstoodIsAnErrorAndNothingIsMeasured(words: [String]) {
        #expect(throws: BenchArguments.ArgumentError.self) { try BenchArguments(words) }
    }

    @Test func whatIsAskedForIsRead() throws {
        let arguments = try BenchArguments(
            [
                "--json", "--only", "push", "--only", "idle", "--records", "2000", "--plot", "d", "--sizes",
                "1000,2000",
            ]
        )
        #expect(arguments.json && !arguments.tellsVersion)
        #expect(try BenchArguments(["--version"]).tellsVersion)
        #expect(arguments.only == ["push", "idle"])
        #expect(arguments.records == 2000)
        #expect(arguments.plots == "d")
        #expect(arguments.sizes == [1000, 2000])
    }

    @Test func howToProfileIsToldForWhatWasAskedFor() throws {
        let lines = try BenchArguments(["--profile", "--only", "read", "--records", "2000"])
            .profiling(program: "./syncbench").split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1].hasSuffix("./syncbench --only read --records 2000"))
    }
}
