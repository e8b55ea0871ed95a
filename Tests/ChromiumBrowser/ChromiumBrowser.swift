public import Foundation
import ProgramRuns

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A headless Chromium for tests, driven by its DevTools protocol over two pipes. It ends with the test process.
public final class ChromiumBrowser: Sendable {
    private let pipe: DevToolsPipe
    private let child: ChildBox

    /// The installed program; nil if there is none.
    public static let program: URL? = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
        .map { URL(fileURLWithPath: $0) }.first { FileManager.default.isExecutableFile(atPath: $0.path) }

    /// What a test without Chromium says.
    public static let notInstalled: String =
        "Chromium is not installed as /usr/bin/chromium: no page was looked at in a browser."

    /// Thrown if the browser cannot be used, or an answer does not come.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    private static let starting = Task { try await ChromiumBrowser() }

    /// The browser that the tests of this process share.
    public static func shared() async throws -> ChromiumBrowser { try await starting.value }

    /// Starts a browser with an empty profile.
    public init() async throws {
        guard let program = Self.program else { throw Failure(description: Self.notInstalled) }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "chromium-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (input, output) = (folder.appendingPathComponent("in"), folder.appendingPathComponent("out"))
        guard mkfifo(input.path, 0o600) == 0, mkfifo(output.path, 0o600) == 0 else {
            throw Failure(description: "The pipes could not be made.")
        }
        // Opened for reading and writing, so that neither side waits for the other. The browser ends once its input
        // has no writer any more, which is when this process ends.
        pipe = try DevToolsPipe(input: open(input.path, O_RDWR), output: open(output.path, O_RDWR))
        let options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe",
            "--user-data-dir=\(folder.appendingPathComponent("profile").path)", "about:blank",
        ]
        child = ChildBox(
            try Child(
                program: URL(fileURLWithPath: "/bin/sh"),
                // The shell outlives the browser, and takes the folder away.
                arguments: ["-c", "\"$0\" \"$@\" 3<in 4>out; rm -rf \"$PWD\"", program.path] + options,
                in: folder
            )
        )
        pipe.start()
        _ = try await pipe.send("Browser.getVersion", parameters: [:], session: nil)
    }

    /// Opens a page of its own, with the given size in CSS pixels.
    public func page(_ url: String, width: Int, height: Int = 900, isDark: Bool = false) async throws
        -> BrowserPage
    {
        let target = try await pipe.send(
            "Target.createTarget",
            parameters: ["url": "about:blank", "browserContextId": try await newContext()],
            session: nil
        )
        let session = try await pipe.send(
            "Target.attachToTarget",
            parameters: ["targetId": target["targetId"] ?? "", "flatten": true],
            session: nil
        )
        let page = BrowserPage(pipe: pipe, session: session["sessionId"] as? String ?? "")
        try await page.resize(width: width, height: height)
        try await page.useColors(isDark: isDark)
        try await page.load(url)
        return page
    }

    /// A context with cookies of its own.
    private func newContext() async throws -> String {
        let context = try await pipe.send("Target.createBrowserContext", parameters: [:], session: nil)
        return context["browserContextId"] as? String ?? ""
    }
}

/// Holds the process; it is only released.
private final class ChildBox: @unchecked Sendable {
    private let child: Child

    init(_ child: Child) { self.child = child }
}
