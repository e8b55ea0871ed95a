import Foundation
import ProgramRuns
import Testing
import Waits

/// A household, its phone and its tablet, with the recipe app run as people run it.
@Suite(.serialized, .timeLimit(.minutes(60))) struct KitchenTests {
    @Test func recipesAreFoundByWhatTheySay() async throws {
        try await World.run(.cook) { world in
            let phone = world.device(name: "phone")
            try await Self.fill(phone)
            let (soup, bread) = ("Soup, easy, 25 min for 4 [quick, warm]", "Bread, medium, 40 min for 4")
            let duck = "Duck, hard, 120 min for 4 [meat]"
            for (words, found) in [
                ("", [soup, bread, duck]), ("quick", [soup]), ("slow", [duck]), ("rested", [bread]),
                ("soaksLonger", [bread]), ("restsLonger", [bread]), ("from:https://bread.example/", [bread]),
                ("simple", [soup, bread]), ("tag:warm", [soup]),
                ("book:Otto", [bread]), ("SÖUP", [soup]), ("planned", []),
            ] {
                #expect(try await phone.cook("list \(words)") == found, "\(words)")
            }
            try await phone.cook("plan Bread 1800000000 Asia/Tokyo")
            #expect(try await phone.cook("list planned") == ["\(bread) on 2027-01-15"])
        }
    }

    @Test func whatABulkChangeBreaksStaysAsItWas() async throws {
        try await World.run(.cook) { world in
            let phone = world.device(name: "phone")
            try await Self.fill(phone)
            #expect(try await phone.cook("scale 2") == ["3 changed"])
            let before = try await phone.cook("list")
            #expect(try await phone.refusal("scale 0").contains("'portions' must be at least 1"))
            #expect(try await phone.cook("list") == before)
            #expect(try await phone.refusal("--plan 3 add Tea easy 3").contains("as many as this app allows"))
        }
    }

    @Test func aTableComesInButForTheRowsThatDoNotFit() async throws {
        try await World.run(.cook) { world in
            let phone = world.device(name: "phone")
            let table = "title,level,cookMinutes\nTea,easy,3\nCake,medium,many\n\"Pie, sweet\",hard,50\n"
            try Data(table.utf8).write(to: world.folder.appendingPathComponent("in.csv"))
            #expect(try await phone.cook("import in.csv bad.csv") == ["2 imported, 1 refused"])
            let bad = world.folder.appendingPathComponent("bad.csv")
            var rejects = try String(contentsOf: bad, encoding: .utf8)
            #expect(rejects.contains("line 3: 'cookMinutes' must be an integer.\",Cake,medium,many"))
            rejects = rejects.replacing("many", with: "60")
            try Data(rejects.utf8).write(to: bad)
            #expect(try await phone.cook("import bad.csv rest.csv") == ["1 imported, 0 refused"])
            #expect(try await phone.cook("list Cake") == ["Cake, medium, 60 min for 4"])
        }
    }

    @Test func twoDevicesShareAFolder() async throws {
        try await World.run(.cook) { world in
            try world.connect()
            try await Self.share(
                phone: world.device(name: "phone"),
                tablet: world.device(name: "tablet"),
                in: world
            )
        }
    }

    @Test func aPersonChoosesWhoWinsAndWhatSyncs() async throws {
        try await World.run(.cook) { world in
            try world.connect()
            let (phone, tablet) = (world.device(name: "phone"), world.device(name: "tablet"))
            try await Self.fill(phone)
            try Data("a photo".utf8).write(to: world.folder.appendingPathComponent("bread.jpg"))
            try await phone.cook("photo Bread bread.jpg")
            #expect(try await phone.cook("--without photos sync") == ["1 waiting"])
            #expect(try await tablet.cook("sync") == ["in sync"])
            #expect(try await tablet.cook("show Bread") == ["Bread, medium, 40 min for 4"])
            for device in [phone, tablet] { #expect(try await device.cook("sync") == ["in sync"]) }
            #expect(try await tablet.cook("show Bread").contains("photo of 7 bytes"))

            for (first, second, book) in [(phone, tablet, "One"), (tablet, phone, "Two")] {
                try await first.cook("describe Bread 1 2 Earlier\(book) 1")
                try await second.cook("describe Bread 3 4 Later\(book) 2")
                try await phone.cook("sync")
                #expect(try await tablet.cook("--prefer recent sync") == ["in sync"])
                #expect(try await phone.cook("sync") == ["in sync"])
                for device in [phone, tablet] {
                    #expect(
                        try await device.cook("list book:Later\(book)") == ["Bread, medium, 40 min for 4"]
                    )
                }
            }
            try await phone.cook("describe Bread 1 2 Mine 1")
            try await tablet.cook("describe Bread 3 4 Yours 2")
            try await phone.cook("sync")
            #expect(try await tablet.cook("--prefer mine sync") == ["1 to settle"])
        }
    }

    #if Server
        @Test func twoDevicesShareAServer() async throws {
            try await World.run(.cook) { world in
                let schemas = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .deletingLastPathComponent().appendingPathComponent("Recipes/Sources/Cook").path
                let adding = try world.start(
                    program: .syncserver,
                    arguments: ["account", "add", "ada", "--data", "data"]
                )
                let token = try await adding.end().output.trimmingCharacters(in: .whitespacesAndNewlines)
                let server = try world.start(
                    program: .syncserver,
                    arguments: ["--schemas", schemas, "--data", "data", "--port", "0"]
                )
                try await eventually(what: "the server listens") { server.output.contains("\n") }
                let line = server.output.split(separator: "\n").first ?? ""
                let url = String(line.drop { $0 != "h" })
                try await Self.share(
                    phone: world.device(name: "phone", server: url, token: token),
                    tablet: world.device(name: "tablet", server: url, token: token),
                    in: world
                )
            }
        }
    #endif

    private static func fill(_ device: Device) async throws {
        for line in [
            "add Soup easy 25 quick warm", "add Duck hard 120 meat", "add Bread medium 40",
            "describe Bread 90 120 Ottolenghi 12 https://bread.example/rye?page=12",
        ] { try await device.cook(line) }
    }

    /// Everything reaches the other device, and a decision on a conflict both.
    private static func share(phone: Device, tablet: Device, in world: World) async throws {
        try await fill(phone)
        try Data("a photo".utf8).write(to: world.folder.appendingPathComponent("bread.jpg"))
        for line in [
            "step Bread Mix", "step Bread Wait", "need Bread Flour 500 g", "need Bread Salt 0.5 tsp",
            "photo Bread bread.jpg",
        ] { try await phone.cook(line) }
        let page = [
            "Bread, medium, 40 min for 4", "photo of 7 bytes", "500 g Flour", "0.5 tsp Salt", "1. Mix",
            "2. Wait",
        ]
        #expect(try await Set(phone.cook("show Bread")) == Set(page))
        #expect(try await phone.cook("synced Bread") == ["never"])
        #expect(try await phone.cook("sync") == ["in sync"])
        #expect(try await phone.cook("synced Bread") == ["yes"])
        #expect(try await tablet.cook("sync") == ["in sync"])
        #expect(try await tablet.cook("show Bread") == phone.cook("show Bread"))

        #expect(try await tablet.cook("shop Bread") == ["2 on the list"])
        #expect(try await tablet.cook("buy") == ["500 g Flour", "0.5 tsp Salt"])
        #expect(try await tablet.cook("bought Salt") == ["1 bought"])
        #expect(try await tablet.cook("clear") == ["1 off the list"])
        for device in [tablet, phone] { try await device.cook("sync") }
        #expect(try await phone.cook("buy") == ["500 g Flour"])

        try await phone.cook("describe Bread 10 20 Mine 1")
        try await tablet.cook("describe Bread 30 40 Yours 2")
        #expect(try await phone.cook("sync") == ["in sync"])
        #expect(try await tablet.cook("sync") == ["1 to settle"])
        #expect(try await tablet.cook("keep mine") == ["1 resolved"])
        for device in [tablet, phone] { #expect(try await device.cook("sync") == ["in sync"]) }
        #expect(try await phone.cook("list book:Yours") == ["Bread, medium, 40 min for 4"])
    }
}
