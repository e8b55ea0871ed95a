import Foundation

/// Processor time of other processes, in seconds, as Linux tells it; 0 on other systems.
enum SystemProcess {
    /// A process, with its threads and the children that have ended.
    static func seconds(of process: Int32) -> Double { fields(of: process).map(seconds(fields:)) ?? 0 }

    /// This process, and all that it started and that have ended.
    static var secondsOfThisWithChildren: Double { seconds(of: ProcessInfo.processInfo.processIdentifier) }

    /// A process and its children.
    static func secondsOfFamily(_ process: Int32) -> Double {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let children = names.compactMap { Int32($0) }.compactMap { fields(of: $0) }
            .filter { $0[Field.parent] == "\(process)" }
        return seconds(of: process) + children.reduce(0) { $0 + seconds(fields: $1) }
    }

    /// Places of what is read here, after the name in parentheses.
    private enum Field {
        static let parent = 1
        static let times = 11...14
    }

    private static func fields(of process: Int32) -> [Substring]? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: name)...].split(separator: " ")
        return fields.count > Field.times.upperBound ? fields : nil
    }

    private static func seconds(fields: [Substring]) -> Double {
        fields[Field.times].reduce(0) { $0 + (Double($1) ?? 0) } / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
