/// Growth curves as SVG.
enum Plots {
    static func draw(into folder: String, _ bench: Bench) async throws {
        throw Unmeasured(reason: "not there yet")
    }
}
