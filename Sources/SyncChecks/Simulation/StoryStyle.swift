import SyncPages

/// What the page of a story needs beside the shared style. Shapes carry the same information as colours.
enum StoryStyle {
    static let shared = PageCode(
        hash: "sha256-9vhf+jCaJK/uF0ApgrrDAHQaTzphA4B9mJC9FUnrtMM=",
        text: css
    )

    private static let css: Markup = #"""
        .story { --lane: 5.5rem; margin: 0 0 1rem; }
        .story ol { list-style: none; margin: 0; padding: 0; }
        .story li, .heads { display: grid; gap: 0 .75rem;
          grid-template-columns: 2.6rem calc(var(--lanes) * min(var(--lane), 40rem / var(--lanes))) minmax(0, 1fr); }
        .heads { position: sticky; top: 0; background: var(--paper); z-index: 1; }
        .story li:nth-child(even) { background: var(--soft); }
        .story p { margin: 0; padding: .15rem .25rem .15rem 0; white-space: pre-line; font-size: .9rem; }
        .story .step { color: var(--quiet); text-align: right; padding-top: .15rem; font-size: .9rem; }
        .lanes { position: relative; min-height: 28px; }
        .lanes > svg { position: absolute; inset: 0; overflow: visible; }
        @media (max-width: 46rem) { .story { --lane: 1.9rem; }
          .many li, .many .heads { grid-template-columns: 2.6rem minmax(0, 1fr); } .many p { grid-column: 2; } }
        .lanes-1 { --lanes: 1; } .lanes-2 { --lanes: 2; } .lanes-3 { --lanes: 3; } .lanes-4 { --lanes: 4; }
        .lanes-5 { --lanes: 5; } .lanes-6 { --lanes: 6; } .lanes-7 { --lanes: 7; } .lanes-8 { --lanes: 8; }
        .lanes-9 { --lanes: 9; } .lanes-10 { --lanes: 10; } .lanes-11 { --lanes: 11; } .lanes-12 { --lanes: 12; }
        .lanes-13 { --lanes: 13; } .lanes-14 { --lanes: 14; } .lanes-15 { --lanes: 15; } .lanes-16 { --lanes: 16; }
        .lanes-17 { --lanes: 17; } .lanes-18 { --lanes: 18; } .lanes-19 { --lanes: 19; } .lanes-20 { --lanes: 20; }
        .lanes-21 { --lanes: 21; } .lanes-22 { --lanes: 22; } .lanes-23 { --lanes: 23; } .lanes-24 { --lanes: 24; }
        .lanes-25 { --lanes: 25; } .lanes-26 { --lanes: 26; } .lanes-27 { --lanes: 27; }
        svg .name { font-weight: 600; text-anchor: middle; }
        .rail { stroke: var(--line); stroke-width: 2; }
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
