import EntitySync
import Foundation
import SyncVersion
import Testing

/// What the pages about the package itself say is so.
@Suite struct PackagePageTests {
    private func text(article name: String) throws -> String {
        try Article.text(path: "\(Article.catalog)/\(name).md")
    }

    @Test func theChangesBeginWithTheVersionThatProgramsPrint() throws {
        let versions = try text(article: "Changes").matches(#"(?m)^## ([0-9]+\.[0-9]+\.[0-9]+)$"#)
        #expect(versions.first == EntitySyncVersion.current)
        #expect(Set(versions).count == versions.count)
        // What people are told to depend on is the present version.
        for page in ["README.md", "\(Article.catalog)/GettingStarted.md"] {
            let told = try Article.text(path: page).matches(#"EntitySync", from: "([0-9.]+)""#)
            #expect(told == [EntitySyncVersion.current], "\(page)")
        }
    }

    @Test func theREADMEBeginsWithWhatThePackageNeedsAndWhatChanged() throws {
        let start = try Article.text(path: "README.md").components(separatedBy: "```").first ?? ""
        let manifest = try Article.text(path: "Package.swift")
        let tools = try manifest.matches(#"swift-tools-version: ([0-9.]+)"#)
        #expect(try start.matches(#"Swift ([0-9.]+[0-9])"#) == tools)
        for platform in ["macOS", "iOS", "watchOS", "tvOS", "visionOS"] {
            let version = try manifest.matches(#"\.\#(platform)\(\.v([0-9]+)\)"#)
            #expect(version.count == 1 && start.contains("\(platform) \(version.first ?? "?")"))
        }
        let links = try start.matches(#"\]\(([^)]+)\)"#)
        #expect(links.contains("\(Article.catalog)/Changes.md"))
        for link in links { #expect(!(try Article.text(path: link)).isEmpty, "\(link)") }
    }

    @Test func theNumbersOfFormatsAreThoseOfTheCode() throws {
        let page = try text(article: "Changes")
        for (row, file) in [
            ("the store of a device", "SyncStore/Connection/StoreFormat.swift"),
            ("the log of an account on a server", "SyncServer/Log/LogFormat.swift"),
            ("the accounts of a server", "SyncServer/Accounts/AccountFile.swift"),
            ("a segment in a folder", "SyncWire/Folder/SegmentHeader.swift"),
        ] {
            let pattern = #"static let version: Int[0-9]+ = ([0-9]+)"#
            let number = try Article.text(path: "Sources/" + file).matches(pattern)
            let told = try page.matches(#"(?m)^\| \#(row) \| ([0-9]+) \|"#)
            #expect(number.count == 1 && told == number, "\(file)")
        }
    }

    @Test func everyModuleIsOnThePageForContributors() throws {
        let page = try text(article: "WorkingOnTheCode")
        let rows = page.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
        let told = try rows.flatMap {
            try ($0.components(separatedBy: " | ").first ?? "").matches("`([A-Za-z]+)`")
        }
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Article.root.appendingPathComponent("Sources").path
        )
        // The system's libraries are module maps.
        #expect(Set(told) == Set(folders).subtracting(["CSQLite", "CPostgreSQL"]))
    }
}
