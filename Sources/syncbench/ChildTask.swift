/// What a process of its own is measured for, such as its peak memory.
enum ChildTask {
    static func run(_ name: String, _ arguments: BenchArguments) async throws {
        throw BenchArguments.Problem(message: "'\(name)' is no task.")
    }
}
