/// What was asked for on the command line.
struct BenchArguments {
    var json = false
    var helps = false
    /// Whether to print the version, instead of measuring.
    var tellsVersion = false
    /// Whether to print how to profile, instead of measuring.
    var profiles = false
    /// Names of ratios; all when empty.
    var only: [String] = []
    var records = 100_000
    var rounds = 5
    /// Where growth curves are to be drawn, instead of measuring ratios.
    var plots: String?
    /// How many records the points of a growth curve stand for.
    var sizes = [1000, 10_000, 100_000, 1_000_000]
    /// What this process is to do for another one, and with how many records.
    var child: String?

    static let help = """
        usage: syncbench [--json] [--only NAME]... [--records N] [--rounds N] [--profile] [--version]
                         [--plot DIR [--sizes N,N]]

          --json       print one JSON object instead of a table
          --only NAME  measure one ratio; may be repeated: \(Ratios.all.map(\.name).joined(separator: ", "))
          --records N  records of the large side, 100000 unless told otherwise
          --rounds N   rounds per side after the first, 5 unless told otherwise, and not fewer
          --version    print the version, and measure nothing
          --profile    print how to profile the ratios, and measure nothing
          --plot DIR   measure growth at 1,000 to 1,000,000 records, and draw it as SVG into DIR
          --sizes N,N  measure growth at other numbers of records

        Figures count only for a release build on a quiet machine:
          swift run -c release --package-path Tests/Benchmarks --scratch-path .build/benchmarks syncbench
        Exit codes: 0 all goals met, 1 not all, 64 wrong usage, 70 a measurement failed.
        """

    struct ArgumentError: Error {
        var message: String
    }

    init(_ words: [String]) throws {
        var words = words[...]
        func value(name option: String) throws -> String {
            guard let value = words.popFirst() else {
                throw ArgumentError(message: "\(option) needs a value.")
            }
            return value
        }
        while let word = words.popFirst() {
            switch word {
            case "--json": json = true
            case "--help", "-h": helps = true
            case "--version": tellsVersion = true
            case "--profile": profiles = true
            case "--only":
                let name = try value(name: word)
                guard Ratios.all.contains(where: { $0.name == name }) else {
                    throw ArgumentError(message: "There is no ratio '\(name)'.")
                }
                only.append(name)
            case "--records":
                records = try Self.number(text: try value(name: word), atLeast: 1000, option: word)
            case "--rounds": rounds = try Self.number(text: try value(name: word), atLeast: 5, option: word)
            case "--plot": plots = try value(name: word)
            case "--sizes":
                sizes = try value(name: word).split(separator: ",").map {
                    try Self.number(text: String($0), atLeast: 1000, option: word)
                }
                guard !sizes.isEmpty else { throw ArgumentError(message: "\(word) needs numbers.") }
            case "--child": child = try value(name: word)
            default: throw ArgumentError(message: "'\(word)' is no option.")
            }
        }
    }

    /// The ratios that were asked for, in the order of the table.
    var ratios: [Ratio] { Ratios.all.filter { only.isEmpty || only.contains($0.name) } }

    /// The commands that tell where the time of each ratio goes.
    func profiling(program: String) -> String {
        let lines = ratios.map { ratio in
            """
            # \(ratio.name): \(ratio.what)
            perf record -g --call-graph fp -o \(ratio.name).perf \(program) --only \(ratio.name) --records \(records)
            perf report -i \(ratio.name).perf --no-children -g none
            """
        }
        return lines.joined(separator: "\n")
    }

    private static func number(text: String, atLeast least: Int, option: String) throws -> Int {
        guard let number = Int(text), number >= least else {
            throw ArgumentError(message: "\(option) needs a whole number of at least \(least).")
        }
        return number
    }
}
