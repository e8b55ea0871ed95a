import SyncPages

/// What the page of a story needs beside the shared style. Shapes carry the same information as colours.
enum StoryStyle {
    static let shared = PageCode(
        hash: "sha256-b9ihx/k93pI7scGyvjBWFu0LTWO9tPP9vpsJg/JN4fU=",
        text: css
    )

    private static let css: Markup = #"""
        .wide { overflow-x: auto; margin: 0 0 1rem; } .wide svg { display: block; max-width: none; }
        svg .name { font-weight: 600; text-anchor: middle; }
        svg .step { fill: var(--quiet); text-anchor: end; }
        svg .who { font-weight: 600; }
        .rail { stroke: var(--line); stroke-width: 2; }
        .stripe { fill: var(--soft); }
        .band { stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 2 4; }
        .go { stroke: var(--link); stroke-width: 1.8; fill: none; }
        .tip { fill: var(--link); }
        .idle { stroke: var(--quiet); stroke-width: 1; fill: none; }
        .lost { stroke: var(--bad); stroke-width: 1.8; stroke-dasharray: 6 4; fill: none; }
        .edit { fill: var(--good); }
        .delete { fill: var(--paper); stroke: var(--good); stroke-width: 2.4; }
        .resolve { fill: none; stroke: var(--good); stroke-width: 2.4; }
        .conflict { fill: var(--fork); }
        .fault { fill: var(--warn); }
        .crash { fill: var(--bad); }
        .account { fill: var(--paper); stroke: var(--link); stroke-width: 2; }
        .change { fill: var(--quiet); }
        .violation { fill: none; stroke: var(--bad); stroke-width: 3; }
        """#
}
