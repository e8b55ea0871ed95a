/// The style of all pages, for light and dark, narrow and wide. Shapes and words say what colours say.
package enum PageStyle {
    /// The style, with the digest by which a page allows it.
    package static let shared = PageCode(
        hash: "sha256-P3j5+O+p0cT2RQn3E4AqJbXpuSmdO9nQQc0fFGY22qQ=",
        text: css
    )

    private static let css: Markup = #"""
        :root { color-scheme: light dark; --paper: #f7f7f4; --card: #ffffff; --ink: #1f2429; --quiet: #59636e;
          --line: #dcdcd5; --soft: #eeeee9; --link: #1a56b0; --good: #1b6a43; --warn: #8a5200; --bad: #b3261e;
          --fork: #7a35ae; --mark: #fff0bd; --good-soft: #e4f3ea; --warn-soft: #fbf0db; --bad-soft: #fbe6e4; }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #14171b; --card: #1c2026; --ink: #e6e9ed; --quiet: #a5aeb9; --line: #363d47;
            --soft: #262b33; --link: #8db9ff; --good: #74d3a2; --warn: #f1ba66; --bad: #ff948b; --fork: #d2a6ff;
            --mark: #5a4a12; --good-soft: #1b3227; --warn-soft: #372c17; --bad-soft: #3c2220; } }
        * { box-sizing: border-box; }
        html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body { margin: 0 auto; padding: 1.25rem 1rem 4rem; max-width: 86rem; background: var(--paper);
          color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
          overflow-wrap: anywhere; }
        h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .75rem; font-weight: 650; }
        h2 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 .75rem; font-weight: 650; }
        h3 { font-size: 1rem; line-height: 1.4; margin: 0 0 .5rem; font-weight: 600; }
        p, ul, ol, dl, pre, table { margin: 0 0 .9rem; }
        a { color: var(--link); text-underline-offset: .15em; }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 4px; }
        main:focus { outline: none; }
        code, pre, .key { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace;
          font-size: .9em; }
        .quiet, .product { color: var(--quiet); }
        .product { margin: 0 0 .2rem; font-size: .875rem; }
        .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
          white-space: nowrap; }
        .skip { position: absolute; left: 1rem; top: -5rem; padding: .6rem 1rem; background: var(--card); z-index: 2; }
        .skip:focus { top: 1rem; }
        .facts { display: flex; flex-wrap: wrap; gap: .4rem 2rem; margin: 0 0 1.75rem; font-size: .9rem; }
        .facts div { min-width: 0; } .facts dt { color: var(--quiet); } .facts dd { margin: 0; }

        nav ul { display: flex; flex-wrap: wrap; gap: .4rem; list-style: none; margin: 0 0 1.5rem; padding: 0; }
        nav a { display: flex; gap: .6rem; justify-content: space-between; padding: .4rem .75rem; border-radius: 8px;
          background: var(--soft); color: var(--ink); text-decoration: none; }
        nav a:hover { text-decoration: underline; }
        nav .count { color: var(--quiet); font-variant-numeric: tabular-nums; }
        section { margin: 0 0 2.75rem; }

        .verdict { border-left: 5px solid var(--good); background: var(--good-soft); padding: 1.1rem 1.25rem .4rem;
          border-radius: 4px 12px 12px 4px; }
        .verdict h2 { font-size: 1.5rem; }
        .verdict.act { border-color: var(--bad); background: var(--bad-soft); }
        .verdict.decide, .verdict.wait { border-color: var(--warn); background: var(--warn-soft); }
        .verdict .quiet { color: inherit; font-weight: 600; } mark .quiet { color: inherit; }
        .advice { padding-left: 1.3rem; } .advice li { margin: 0 0 .7rem; } .advice p { margin: 0; }
        .advice .what { font-weight: 600; }
        .notice { padding: .75rem 1rem; border-radius: 8px;
          background: var(--good-soft); border: 1px solid var(--good); }
        .notice.error { background: var(--bad-soft); border-color: var(--bad); }

        .item { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem 1.1rem .5rem;
          margin: 0 0 1rem; }
        .item[hidden] { display: none; }
        .item:target { border-color: var(--link); box-shadow: 0 0 0 2px var(--link); }
        .entity { color: var(--quiet); font-weight: 400; }
        .title { display: -webkit-inline-box; max-width: 100%; overflow: hidden; vertical-align: top;
          font-weight: 600; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-clamp: 2; }
        a .title { text-decoration: underline; text-underline-offset: .15em; }
        th .title { max-width: min(100%, 36rem); }
        .title:hover, a:focus .title, .item:focus-within .title, .item:target .title { -webkit-line-clamp: none;
          line-clamp: none; }
        .title ~ .key, a:has(.title) ~ .key { display: block; color: var(--quiet); font-size: .8rem; font-weight: 400; }
        .badge { display: inline-block; padding: 0 .5rem; border-radius: 1rem; background: var(--soft);
          color: var(--ink); font-size: .8rem; font-weight: 600; white-space: nowrap; }
        .badge.conflict { color: var(--fork); } .badge.failed { color: var(--bad); }
        .badge.partial { color: var(--warn); } .badge.synced { color: var(--good); }
        .left-out { border: 1px dashed var(--quiet); border-radius: 12px; padding: .9rem 1rem .1rem; }

        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        caption { text-align: left; color: var(--quiet); font-size: .875rem; padding: 0 0 .4rem; }
        th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0;
          border-top: 1px solid var(--line); font-weight: 400; }
        thead th { border-top: 0; font-size: .85rem; color: var(--quiet); }
        tbody th, tfoot th { font-weight: 600; }
        .number { text-align: right; } .zero { color: var(--quiet); }
        .compare { table-layout: fixed; } .compare th:first-child { width: 18%; }
        .text { white-space: pre-wrap; unicode-bidi: isolate; }
        td .label { display: none; }
        mark { background: var(--mark); color: inherit; border-radius: 3px; padding: 0 .1em;
          text-decoration: underline 1px; text-underline-offset: .2em; }
        @media (max-width: 46rem) {
          .stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .stack, .stack tbody, .stack tfoot, .stack tr, .stack th, .stack td, .stack caption { display: block;
            width: auto; }
          .stack tr { border-top: 1px solid var(--line); padding: .5rem 0; }
          .stack th, .stack td { border: 0; padding: .1rem 0; }
          .stack th:first-child { width: auto; }
          .stack td { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: .75rem; text-align: left; }
          .stack td .label { display: block; color: var(--quiet); font-size: .85rem; }
          .stack td:has(> div > .zero), .stack td:has(> div:empty), nav .zero { display: none; } }

        details { margin: 0 0 .75rem; }
        summary { cursor: pointer; color: var(--link); padding: .2rem 0; }
        .way p { margin: 0 0 .25rem; } .way { margin: 0 0 .8rem; }
        details > .way:first-of-type { margin-top: .5rem; }
        pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); border-radius: 8px;
          padding: .55rem .75rem; margin: 0 0 .6rem; }
        .command { display: flex; gap: .75rem; justify-content: space-between; align-items: flex-start; }
        .command code { min-width: 0; }
        button, input, select { font: inherit; color: inherit; border: 1px solid var(--quiet); border-radius: 8px;
          background: var(--card); padding: .4rem .8rem; max-width: 100%; }
        button { cursor: pointer; } button:hover:not(:disabled) { background: var(--soft); }
        button:disabled { color: var(--quiet); cursor: default; border-style: dashed; }
        .command button { flex: none; font-size: .85rem; padding: .1rem .6rem; }
        .acts, .find, .pager { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: 0 0 .9rem; }
        .acts button { border-color: var(--link); color: var(--link); font-weight: 600; }
        .find label, .pager label { display: grid; gap: .2rem; font-size: .875rem; color: var(--quiet); min-width: 0; }
        .find input, .pager input, select { color: var(--ink); width: 100%; font-size: 1rem; }
        .pager label { flex: 1 1 14rem; } .pager p { margin: 0; padding: .45rem 0; }

        .picture, .chart { display: block; margin: 0 0 .75rem; overflow: visible; }
        svg text { fill: var(--ink); font: .8125rem system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
        .lane, .axis { stroke: var(--line); stroke-width: 2; }
        .edge { stroke: var(--quiet); stroke-width: 1.5; }
        .time { fill: var(--quiet); font-size: .75rem; }
        .mark { stroke: var(--card); stroke-width: 2; fill: var(--quiet); }
        .mark.edit { fill: var(--link); } .mark.delete { fill: var(--card); stroke: var(--link); }
        .mark.conflict { fill: var(--fork); } .mark.merged { fill: var(--good); }
        .mark.resolved { fill: var(--warn); }
        .steps { list-style: none; padding: .5rem 0 0; margin: 0; }
        .steps li { display: grid; grid-template-columns: 1rem minmax(0, 1fr); gap: .6rem; margin: 0 0 .6rem; }
        .steps .mark { width: .75rem; height: .75rem; margin-top: .4rem; background: var(--quiet); border-radius: 50%; }
        .steps .edit { background: var(--link); }
        .steps .delete { background: none; border: 2px solid var(--link); }
        .steps .conflict { background: var(--fork); border-radius: 0; clip-path: polygon(50% 0, 100% 100%, 0 100%); }
        .steps .merged { background: var(--good); border-radius: 0;
          clip-path: polygon(50% 0, 100% 50%, 50% 100%, 0 50%); }
        .steps .resolved { background: var(--warn); border-radius: 0; }
        .chart rect { fill: var(--link); } .chart .records { fill: var(--good); }
        .chart .requests { fill: var(--fork); }
        .chart .failed { fill: none; stroke: var(--bad); stroke-width: 1.5; }
        .cross { stroke: var(--bad); stroke-width: 2.2; fill: none; } .partial { fill: var(--warn); }
        .legend { font-size: .875rem; color: var(--quiet); } .legend svg { vertical-align: -.3rem; }
        .legend span { white-space: nowrap; margin-right: .8rem; }
        .bar { display: block; min-width: 6rem; margin-top: .4rem; }
        .bar .rail { fill: var(--soft); } .bar .fill { fill: var(--link); }
        footer { color: var(--quiet); font-size: .875rem; border-top: 1px solid var(--line); padding-top: 1rem; }
        @media (min-width: 70rem) {
          .columns { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 3rem; align-items: start; }
          nav { position: sticky; top: 1rem; } nav ul { flex-direction: column; }
          nav a { background: none; } nav a:hover { background: var(--soft); } }
        @media print { nav, .acts, .find, .pager, .command button { display: none; } .item { break-inside: avoid; } }
        """#
}
