// A page of its own: nothing is fetched, nothing is run.

import PermissionAnalysis

enum Page {
  /// - Parameter frame: the site of the page; nil for a page alone.
  static func render(_ document: Document, _ frame: PageFrame? = nil) -> [UInt8] {
    render(document.title, frame) { page in
      // The section with the answer comes before the list of sections and before the facts.
      let lead = document.contents.isEmpty ? nil : document.sections.first { $0.name == .lead }
      page.element("header") { page in
        page.element("h1") { $0.name(ChartName.heading(document.title)) }
        // The week, if the page has a title of its own; the rest of the head follows the answer.
        for block in document.head where lead == nil || block.isHeadline { page.write(block) }
        if lead == nil, !document.contents.isEmpty { navigation(document.contents, on: &page) }
      }
      page.newLine()
      page.element("main", frame == nil ? [:] : ["id": PageFrame.answer]) { page in
        stripes(&page)
        if let lead {
          page.write(lead) { page in
            navigation(document.contents, on: &page)
            for block in document.head where !block.isHeadline { page.write(block) }
          }
        }
        for section in document.sections.dropFirst(lead == nil ? 0 : 1) { page.write(section) }
      }
    }
  }

  /// A page with a head and a foot.
  static func render(_ title: String, _ frame: PageFrame?, _ body: (inout Markup) -> Void) -> [UInt8] {
    var page = Markup()
    page.raw("<!DOCTYPE html>\n")
    page.element("html", ["lang": "en", "xmlns": "http://www.w3.org/1999/xhtml"]) { page in
      page.newLine()
      page.element("head") { head(&$0, title, frame) }
      page.newLine()
      page.element("body") { page in
        page.newLine()
        if let frame {
          page.element("a", ["class": "skip", "href": "#" + PageFrame.answer], text: "Skip to the answer")
          frame.top(&page)
          page.newLine()
        }
        body(&page)
        page.newLine()
        page.element("footer") { page in
          page.element("p", text: "Made by permlog. A dash is a number that is not known, never 0.")
        }
        page.newLine()
      }
      page.newLine()
    }
    page.newLine()
    return page.bytes
  }

  private static func head(_ page: inout Markup, _ title: String, _ frame: PageFrame?) {
    page.empty("meta", ["charset": "utf-8"])
    if frame == nil {
      page.empty(
        "meta",
        [
          "http-equiv": "Content-Security-Policy",
          "content":
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
        ])
    }
    page.empty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
    page.empty("meta", ["name": "color-scheme", "content": "light dark"])
    page.empty("meta", ["name": "referrer", "content": "no-referrer"])
    // Without one, a browser asks the server for it.
    page.empty("link", ["rel": "icon", "href": "data:,"])
    page.element("title", text: title)
    guard let frame else { return page.element("style") { $0.raw("\n" + PageStyle.css + "\n") } }
    page.empty("link", ["rel": "stylesheet", "href": frame.styleSheet])
    if let script = frame.script { page.element("script", ["src": script, "defer": "defer"]) { _ in } }
  }

  /// The pattern of partial grants.
  static func stripes(_ page: inout Markup) {
    page.element("svg", ["class": "hidden", "aria-hidden": "true", "width": "0", "height": "0"]) { page in
      page.element(
        "pattern",
        [
          "id": "stripes", "width": "5", "height": "5", "patternUnits": "userSpaceOnUse",
          "patternTransform": "rotate(45)",
        ]
      ) { page in
        page.empty("rect", ["width": "3", "height": "5", "class": "granted fill"])
      }
    }
  }

  private static func navigation(_ sections: [Section], on page: inout Markup) {
    let sections = sections.filter { $0.name != .lead }
    guard !sections.isEmpty else { return }
    page.element("nav", ["aria-label": "Sections"]) { page in
      page.element("ul") { page in
        for section in sections {
          page.element("li") {
            $0.element("a", ["href": "#" + section.id]) { $0.name(ChartName.heading(section.shortTitle)) }
          }
        }
      }
    }
  }
}

extension Block {
  fileprivate var isHeadline: Bool { if case .headline = self { true } else { false } }
}

// MARK: Small multiples: a chart for each permission, or property value of one, its table below it

struct Panels {
  /// Charts of a section, and of one permission in a breakdown; the rest is in the tables.
  static let most = 24
  static let mostValues = 12

  /// The drawn groups, in the order of the report.
  let shown: [RowGroup]
  private let scope: ReportScope
  private let groups: [RowGroup]
  /// Why some are not drawn, with their names.
  private let leftOut: [String]
  private let tables: (ReportScope) -> [ReportSection]

  /// - Parameters:
  ///   - why: some groups are not drawn, and only named.
  ///   - canDraw: false for these.
  ///   - tables: the sections whose tables hold what the chart shows, of a report of one group.
  init(
    _ scope: ReportScope, _ groups: [RowGroup],
    unless why: String = "Fewer than \(Drawable.leastBase) users are too few to draw",
    where canDraw: (RowGroup) -> Bool, tables: @escaping (ReportScope) -> [ReportSection]
  ) {
    // The others together are no value: the tables have them.
    let drawable = groups.filter { canDraw($0) && !$0.all.by.isOther }
    let few = groups.filter { !canDraw($0) && !$0.all.by.isOther }
    let chosen = Self.chosen(drawable)
    (self.scope, self.groups, self.shown, self.tables) = (scope, groups, chosen, tables)
    var leftOut: [String] = []
    if !few.isEmpty {
      let names = few.prefix(6).map { RowNames.titles.full($0.all) }.joined(separator: "; ")
      let more = few.count > 6 ? "; and \(few.count - 6) more" : ""
      leftOut.append("\(why): \(names)\(more).")
    }
    if drawable.count > chosen.count {
      leftOut.append("The charts are of the \(chosen.count) with the most exposures, of \(drawable.count).")
    }
    if groups.contains(where: { $0.all.by.isOther }) {
      leftOut.append(
        "The other values together, “\(RowNames.other)”, are in no chart: their numbers are in the tables.")
    }
    self.leftOut = leftOut
  }

  /// - Parameter empty: printed if there are no groups.
  func write(empty: String, on page: inout Markup, chart: (inout Markup, RowGroup) -> Void) {
    guard !groups.isEmpty else { return page.element("p", text: empty) }
    if !shown.isEmpty {
      page.element("div", ["class": "panels"]) { page in
        for group in shown {
          page.newLine()
          page.element("figure") { page in
            page.element("h3") { $0.name(RowNames.titles.full(group.all)) }
            chart(&page, group)
            if let caution = RowNames.caution(group.all.permission) { page.write(.caution(caution, .none)) }
            page.details("Numbers") { tables(of: group, on: &$0) }
          }
        }
      }
    }
    guard !leftOut.isEmpty else { return }
    for words in leftOut { page.write(.note(words)) }
    guard !shown.isEmpty else {
      let others = groups.dropFirst(Self.most).filter { $0.all.by.isOther }
      for group in groups.prefix(Self.most) + others { tables(of: group, on: &page) }
      return
    }
    page.details("Numbers of all \(groups.count)") { page in
      for group in groups { tables(of: group, on: &page) }
    }
  }

  private func tables(of group: RowGroup, on page: inout Markup) {
    for section in tables(scope.only(group)) where !section.table.isEmpty {
      var table = section.table
      // The caution is already next to the chart.
      table.entries.removeAll { entry in
        switch entry {
        case .note, .caution: true
        case .heading, .row: false
        }
      }
      page.table(table, caption: section.title + ", " + RowNames.titles.full(group.all))
    }
  }

  /// The groups with the most exposures: no more than some values of one permission, and some in all.
  private static func chosen(_ groups: [RowGroup]) -> [RowGroup] {
    // The groups of one permission are already in this order.
    let some = ReportScope.permissions(groups).flatMap { values in
      values.first?.all.by.isEmpty == true ? values : values.prefix(mostValues)
    }
    guard some.count > most else { return some }
    let largest = some.indices.sorted { some[$0].all.grants.exposed > some[$1].all.grants.exposed }.prefix(most)
    return some.indices.filter(largest.contains).map { some[$0] }
  }
}

// MARK: How a decision looks: on a page each has its own colour and sign, which also differ in grey

/// Raw values are classes of the style sheet.
package enum VerdictKind: String, Sendable, CaseIterable {
  case winner, same, running, early, review, invalid, differs, unclear

  init(_ decision: Comparison.Decision) {
    switch decision {
    case .aWins, .bWins: self = .winner
    case .noDifference: self = .same
    case .keepRunning: self = .running
    case .stopOutOfReach: self = .unclear
    case .tooEarly: self = .early
    case .review: self = .review
    case .invalid: self = .invalid
    case .differs: self = .differs
    case .notClear: self = .unclear
    }
  }

  var tone: TextTone {
    switch self {
    case .winner: .good
    case .review, .invalid: .bad
    case .same, .running, .early, .differs, .unclear: .strong
    }
  }

  /// The paths of its sign, background first. If there is one path, the background is a circle.
  private var paths: [(path: String, style: String)] {
    switch self {
    case .winner: [("M6.5 12.5L10.5 16.5L17.5 8", "cut")]
    case .same: [("M7 9.5L17 9.5M7 14.5L17 14.5", "line")]
    case .running: [("M9.5 7.5L17 12L9.5 16.5Z", "fill")]
    case .early: [("M5 2L19 2L12 12L19 22L5 22L12 12Z", "line"), ("M12 14L17 21L7 21Z", "fill")]
    case .review: [("M12 1.5L23 21.5L1 21.5Z", "fill"), ("M12 8.5L12 14.5M12 17L12 18.8", "cut")]
    case .invalid:
      [("M7.5 1L16.5 1L23 7.5L23 16.5L16.5 23L7.5 23L1 16.5L1 7.5Z", "fill"), ("M8 8L16 16M16 8L8 16", "cut")]
    case .differs: [("M7 9.5L17 9.5M7 14.5L17 14.5M15 6L9 18", "line")]
    case .unclear: [("M6 12L8 12M11 12L13 12M16 12L18 12", "line")]
    }
  }

  /// The sign in a square of 24, in the colour of the text. The words next to it have the same meaning.
  func draw(on page: inout Markup) {
    let (radius, style) = self == .winner ? ("11", "fill") : ("10", "line")
    if paths.count == 1 { page.empty("circle", ["cx": "12", "cy": "12", "r": radius, "class": style]) }
    for (path, style) in paths { page.path(path, style) }
  }
}
