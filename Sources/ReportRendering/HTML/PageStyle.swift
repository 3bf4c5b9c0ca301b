// The style sheet of the pages: in the page itself, for light, dark and paper.

enum PageStyle {
  static let css = """
    :root{color-scheme:light dark;\(Palette.light.css)}
    @media (prefers-color-scheme:dark){:root{\(Palette.dark.css)}}
    @media print{:root{color-scheme:light;\(Palette.light.css)}}
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,\
    "Helvetica Neue",Arial,sans-serif;font-variant-numeric:lining-nums tabular-nums;overflow-wrap:break-word}
    header,main,footer{max-width:82rem;margin:0 auto;padding:0 clamp(1rem,3.5vw,3rem)}
    header{padding-top:clamp(1.5rem,4vw,3.5rem)}
    footer{padding-top:2rem;padding-bottom:3rem;color:var(--muted);font-size:.875rem}
    h1,h2,h3,li,dd,.verdict{overflow-wrap:anywhere}
    h1{font-size:clamp(1.6rem,3.2vw,2.25rem);line-height:1.15;letter-spacing:-.015em;font-weight:680;margin:0 0 1.1rem}
    h2{font-size:1.35rem;line-height:1.25;letter-spacing:-.01em;font-weight:660;margin:0 0 .4rem}
    h3{font-size:1rem;line-height:1.35;font-weight:640;margin:0 0 .35rem}
    p{margin:0 0 .8rem;max-width:72ch}
    section{border-top:1px solid var(--rule);padding:1.9rem 0 1.2rem;margin-top:1.2rem}
    header+main>section:first-of-type{border-top:0;padding-top:0;margin-top:0}
    main>section#lead>h2{font-size:clamp(1.35rem,2.6vw,1.7rem)}
    a{color:var(--link);text-underline-offset:.15em}
    a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
    nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;margin:1.2rem 0;padding:0;font-size:.9rem}
    .rates{list-style:none;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,10rem),1fr));\
    gap:1rem 1.4rem;margin:1.1rem 0 1.3rem;padding:0}
    .rates li{display:flex;flex-direction:column;border-left:3px solid var(--granted);padding-left:.7rem;min-width:0}
    .rates strong{font-size:1.9rem;line-height:1.2;font-weight:680;letter-spacing:-.02em}
    .rates .what{font-size:.9rem;font-weight:560}
    .rates .detail{font-size:.85rem;margin:0}
    dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.1rem;margin:0;font-size:.9rem}
    dl.facts dt{color:var(--muted)}
    dl.facts dd{margin:0;min-width:0}
    .words{color:var(--muted)}
    pre{white-space:pre-wrap;margin:0 0 .8rem}
    code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.92em}
    .option{white-space:nowrap}
    .headline{font-size:1.15rem;line-height:1.45;max-width:64ch;margin-bottom:1.1rem}
    #verdict .headline{font-size:clamp(1.3rem,2.6vw,1.8rem);line-height:1.25;font-weight:650;max-width:none;\
    margin-bottom:.6rem;overflow-wrap:anywhere}
    .note{font-size:.9rem;color:var(--muted);margin-bottom:.35rem}
    .caution{border-left:3px solid var(--skipped);padding-left:.7rem;font-size:.9rem}
    .panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20.5rem),1fr));gap:1.4rem 1.8rem;\
    margin:1.1rem 0 .6rem}
    @media (min-width:70rem){.panels:has(>figure:nth-child(4):last-child){grid-template-columns:repeat(2,1fr)}}
    figure{margin:0;min-width:0;max-width:27rem}
    figure h3{overflow-wrap:anywhere}
    svg{display:block;width:100%;height:auto;overflow:visible}
    svg text{font-size:11.5px;fill:var(--muted);font-family:inherit}
    svg text.strong{fill:var(--ink);font-weight:600}
    svg text.end{text-anchor:end}
    svg text.middle{text-anchor:middle}
    .grid{stroke:var(--grid);stroke-width:1}
    figure.large{max-width:none;margin-top:1.2rem}
    .broad{display:none}
    .sankey svg{min-width:42rem}
    @media (min-width:48rem){.narrow{display:none}.broad{display:block}}
    @media (min-width:70rem){.broad svg text,.sankey svg text{font-size:8.2px}}
    .zero{stroke:var(--muted);stroke-width:1.3}
    .axis{stroke:var(--rule);stroke-width:1}
    .granted{color:var(--granted)}.denied{color:var(--denied)}.skipped{color:var(--skipped)}
    .dropped{color:var(--dropped)}.restricted{color:var(--restricted)}.neutral{color:var(--neutral)}
    .fill{fill:currentColor}
    .hit{fill:transparent}
    .band{fill:currentColor;opacity:.17}
    .line{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}
    .dashed{stroke-dasharray:5 3.5}
    .thin{stroke:currentColor;stroke-width:1.4}
    .faint{stroke:currentColor;stroke-width:1.2;stroke-dasharray:1.5 2.5}
    .dot{fill:currentColor;stroke:var(--paper);stroke-width:1.2}
    .hollow{fill:var(--paper);stroke:currentColor;stroke-width:1.6}
    .track{fill:var(--panel);stroke:var(--rule);stroke-width:1}
    .rail{fill:var(--grid)}
    .cut{fill:none;stroke:var(--paper);stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}
    .median{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:3 2.5}
    .stripes{fill:url(#stripes)}
    .good{color:var(--good);fill:var(--good)}.bad{color:var(--bad);fill:var(--bad)}
    svg text.good{fill:var(--good);font-weight:700}svg text.bad{fill:var(--bad);font-weight:700}
    .scroll{container-type:inline-size;overflow-x:auto;margin:.6rem 0 .9rem}
    table{border-collapse:separate;border-spacing:0;font-size:.9rem;line-height:1.35}
    caption{text-align:left;color:var(--muted);padding-bottom:.3rem}
    th,td{padding:.34rem .5rem .34rem .55rem;text-align:right;vertical-align:baseline;white-space:nowrap}
    th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--paper);\
    padding-left:0;padding-right:1.1rem}
    th bdi{display:inline-block;white-space:normal;width:max-content;max-width:min(22rem,42cqw);overflow-wrap:anywhere}
    th[scope=rowgroup] bdi{max-width:min(40rem,88cqw)}
    thead th{color:var(--muted);font-weight:500}
    tbody th{font-weight:500}
    tbody th[scope=rowgroup]{font-weight:640;padding-top:.75rem}
    tbody th,tbody td{border-top:1px solid var(--grid)}
    tbody:first-of-type>tr:first-child>*{border-top-color:var(--rule)}
    .list th,.list td{text-align:left;white-space:normal}.list td{max-width:70ch}
    td svg{width:7.5rem;display:inline-block;vertical-align:middle}
    td.wide svg{width:clamp(9rem,24vw,20rem)}
    .detail{color:var(--muted);margin-left:.45em}
    tbody th.indent{padding-left:.9rem}
    details{margin:.35rem 0 .6rem}
    summary{cursor:pointer;color:var(--link);font-size:.875rem;width:max-content}
    .legend{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;font-size:.875rem;margin:.6rem 0;padding:0;list-style:none}
    .legend svg{width:1.5rem;display:inline-block;vertical-align:-.15em;margin-right:.4em}
    .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    .verdict{font-size:clamp(1.3rem,2.6vw,1.8rem);line-height:1.25;font-weight:700;letter-spacing:-.01em;\
    margin:0 0 .7rem;max-width:none}
    p+.verdict{margin-top:1.3rem}
    .verdict:has(svg){display:flex;gap:.6rem;align-items:flex-start;border-left:.4rem solid currentColor;\
    padding:.45rem .7rem;background:var(--panel);border-radius:.2rem;max-width:max-content}
    .verdict svg{flex:none;width:1.25em;height:1.25em}
    .verdict span{min-width:0}
    \(VerdictKind.allCases.map { ".verdict.\($0.rawValue){color:var(--\($0.rawValue))}" }.joined())
    h3.kind{display:flex;gap:.5rem;align-items:center;margin-top:1.5rem}
    h3.kind svg{flex:none;width:1.15em;height:1.15em}
    h3.kind span{color:var(--ink);min-width:0}
    \(VerdictKind.allCases.map { "h3.\($0.rawValue){color:var(--\($0.rawValue))}" }.joined())
    .findings{list-style:none;margin:.2rem 0 .6rem;padding:0}
    .findings li{margin:0 0 .7rem}
    .findings h4{font-size:.95rem;font-weight:600;margin:0;overflow-wrap:anywhere}
    .findings svg{width:min(100%,16rem);margin:.15rem 0 .25rem}
    .findings p{margin:0}
    @container (max-width:40rem){
    .keyed tr>:first-child:not([scope=rowgroup]){width:7.6rem;min-width:7.6rem;max-width:7.6rem;padding-right:.5rem}
    .keyed tr>:first-child:not([scope=rowgroup]) bdi{max-width:6rem}
    .keyed tr>:nth-child(2){position:sticky;left:7.6rem;background:var(--paper);box-shadow:1px 0 var(--grid)}
    td .detail{display:block;margin:0}
    }
    @media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
    @media print{
    @page{margin:14mm}
    body{font-size:9.5pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}
    header,main,footer{padding:0;max-width:none}
    nav,details:not([open]){display:none}
    .sankey svg{min-width:0}
    section{padding:.8rem 0 .2rem;margin-top:.6rem}
    figure,tr,p,.caution{break-inside:avoid}
    h2,h3,thead,.words,.headline,.legend{break-after:avoid}
    .scroll{overflow:visible}
    .keyed tr>:nth-child(2){position:static}
    .verdict:has(svg){border:1px solid;border-left-width:.4rem}
    th:first-child,td:first-child{position:static}
    th,td{padding-right:.45rem}
    table{font-size:8pt}
    .panels{grid-template-columns:repeat(2,1fr)}
    td svg,td.wide svg{width:5.5rem}
    }
    """
}

/// The colours of the pages, for light and dark. Chosen to stay apart for people who see colours differently (blue,
/// vermilion, gold, grey differ in lightness too); each colour has a word or a shape next to it.
struct Palette: Sendable {
  /// By the name of the CSS variable; `#rrggbb`.
  let colors: [(name: String, value: String)]

  static let light = Palette(colors: [
    ("paper", "#ffffff"), ("panel", "#f6f7f9"), ("ink", "#1b1e24"), ("muted", "#565c67"), ("rule", "#d8dce2"),
    ("grid", "#e4e7eb"), ("link", "#0b5fa5"), ("granted", "#0b5fa5"), ("denied", "#b5330f"), ("skipped", "#a87900"),
    ("dropped", "#7f858f"), ("restricted", "#4a505a"), ("neutral", "#5d6470"), ("good", "#1a6e3c"), ("bad", "#b5330f"),
    ("winner", "#1a6e3c"), ("same", "#4a505a"), ("running", "#0b5fa5"), ("early", "#6b3fa0"), ("review", "#865700"),
    ("invalid", "#b3261e"), ("differs", "#0b6170"), ("unclear", "#565c67"),
  ])

  static let dark = Palette(colors: [
    ("paper", "#14171c"), ("panel", "#1c2027"), ("ink", "#e9ebef"), ("muted", "#a8b0bc"), ("rule", "#3a414c"),
    ("grid", "#2a3039"), ("link", "#7ab8ec"), ("granted", "#5aa9e6"), ("denied", "#f0805a"), ("skipped", "#e3b341"),
    ("dropped", "#8b929e"), ("restricted", "#c3c8d0"), ("neutral", "#98a0ac"), ("good", "#6cc48f"), ("bad", "#f0805a"),
    ("winner", "#6cc48f"), ("same", "#c3c8d0"), ("running", "#7ab8ec"), ("early", "#c6a5f2"), ("review", "#e3b341"),
    ("invalid", "#ff8a80"), ("differs", "#62c6d6"), ("unclear", "#a8b0bc"),
  ])

  var css: String { colors.map { "--\($0.name):\($0.value)" }.joined(separator: ";") }
}
