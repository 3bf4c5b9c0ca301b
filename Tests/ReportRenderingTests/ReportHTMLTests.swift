// The page: well formed, alone, accessible, legible in light and dark, and harmless whatever an export says.

import Foundation
import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct ReportHTMLTests {
  private static let end = SampleHistories.sampleEnd

  /// Reports of every shape.
  private static let reports: [(name: String, report: Report)] = {
    let app = SampleHistories.app()
    var pending = SampleHistories()
    pending.users = [[.init(time: SampleHistories.monday, kind: .promptShown, permission: 2)]]
    var unexposed = SampleHistories()
    unexposed.users = [[.init(time: SampleHistories.monday, kind: .granted, permission: 2)]]
    return [
      ("all", app.report(asOf: end)), ("by variant", app.report(asOf: end) { $0.properties = [.variant] }),
      ("hostile", HostileText.report()),
      ("first days", app.report(asOf: SampleHistories.monday + 2 * millisecondsPerDay)),
      ("cut", app.report(asOf: end) { $0.from = SampleHistories.monday + 16 * millisecondsPerDay }),
      ("pending", pending.report(asOf: SampleHistories.monday + 1000)),
      ("unexposed", unexposed.report(asOf: SampleHistories.monday + 1000)),
      ("before all", app.report(asOf: 1_760_000_000_000)),
      ("empty", .empty(timeZone: "UTC", responseWindow: 1_800_000, followUp: 28 * millisecondsPerDay)),
    ]
  }()

  private static let parsed = Result {
    try reports.map { (name: $0.name, page: try PageTree(ReportDocument.render($0.report, .html))) }
  }

  private func pages() throws -> [(name: String, page: PageTree)] { try Self.parsed.get() }

  @Test func pagesAreWellFormedAndStandAlone() throws {
    for (name, page) in try pages() {
      #expect(page.scripts.isEmpty, "\(name)")
      #expect(page.addresses.allSatisfy { $0.hasPrefix("#") || $0 == "data:," }, "\(name): \(page.addresses)")
      #expect(!page.text.contains("url(http") && !page.text.contains("@import"), "\(name)")
      #expect(page.attributes.allSatisfy { !$0.lowercased().hasPrefix("on") }, "\(name)")
      #expect(page.elements.isSubset(of: PageTree.known), "\(name): \(page.elements.subtracting(PageTree.known))")
    }
  }

  @Test func idsAreUniqueAndWhatPointsToThemIsThere() throws {
    for (name, page) in try pages() {
      #expect(Set(page.ids).count == page.ids.count, "\(name)")
      for id in page.references { #expect(page.ids.contains(id), "\(name): \(id)") }
    }
  }

  @Test func headingsAreInOrder() throws {
    for (name, page) in try pages() {
      #expect(page.headings.first == 1 && page.headings.filter { $0 == 1 }.count == 1, "\(name)")
      for (a, b) in zip(page.headings, page.headings.dropFirst()) { #expect(b <= a + 1, "\(name)") }
    }
  }

  @Test func chartsHaveWordsAndATable() throws {
    for (name, page) in try pages() {
      for drawing in page.drawings {
        #expect(!drawing.title.isEmpty && drawing.description.count > 20, "\(name): \(drawing)")
      }
      #expect(page.figuresWithoutTable == 0, "\(name)")
    }
    let all = try pages()[0].page
    for chart in ["Grant rate by week", "From the first screen", "Time to answer", "Enabled later", "Retention"] {
      #expect(all.drawings.contains { $0.title.hasPrefix(chart + ", ") || $0.title.hasPrefix(chart + " ") }, "\(chart)")
    }
  }

  @Test func coordinatesAreNumbers() throws {
    for (name, page) in try pages() {
      for value in page.coordinates {
        #expect(value.allSatisfy { "0123456789.- MLZ".contains($0) }, "\(name): \(value)")
      }
    }
  }

  @Test func textFromOutsideIsText() throws {
    let page = try #require(try pages().first { $0.name == "hostile" }?.page)
    #expect(page.text.contains("<script>alert(1)</script>"))
    #expect(page.text.contains("\"><img src=x onerror=alert(1)>"))
    #expect(page.text.contains("&lt;b&gt;"))
    #expect(page.text.contains("שלום"))
    for scalar in ["\u{0}", "\u{1B}", "\u{85}", "\u{202E}", "\u{2066}", "\u{FEFF}"] as [Unicode.Scalar] {
      #expect(!page.text.unicodeScalars.contains(scalar), "\(scalar.value)")
    }
  }

  @Test func whatIsUnknownIsADash() throws {
    let page = try #require(try pages().first { $0.name == "pending" }?.page)
    #expect(page.cells.contains("–") && !page.cells.contains("0.0\u{A0}%"))
  }

  @Test func cautionsStandBesideTheNumbers() throws {
    let text = try pages()[0].page.text
    #expect(text.components(separatedBy: "health_read: the system hides the answer").count > 6)
    for words in ["Descriptive", "Observations, not effects", "partial"] { #expect(text.contains(words)) }
  }

  /// With more groups than panels the rest is in tables.
  @Test func manyGroupsAreNotAllDrawn() throws {
    let page = try #require(try pages().first { $0.name == "hostile" }?.page)
    let drawn = page.drawings.filter { $0.title.hasPrefix("Grant rate by week") }.count
    // The values of one permission.
    #expect(drawn == Panels.mostValues)
    #expect(page.text.contains("The charts are of the 12 with the most exposures, of "))
  }

  // MARK: Colours

  /// WCAG 2.2, 1.4.3 (text, 4.5) and 1.4.11 (marks that carry a meaning, 3).
  @Test(arguments: [Palette.light, Palette.dark])
  func contrastIsEnough(palette: Palette) throws {
    let colors = Dictionary(uniqueKeysWithValues: palette.colors.map { ($0.name, $0.value) })
    // Colours of text, and of marks that carry a meaning; the others only divide space.
    let textColors = ["ink", "muted", "link", "good", "bad"] + VerdictKind.allCases.map(\.rawValue)
    let markColors = ["granted", "denied", "skipped", "dropped", "restricted", "neutral"]
    for background in ["paper", "panel"] {
      let back = try #require(colors[background])
      for (names, least) in [(textColors, 4.5), (markColors, 3.0)] {
        for name in names {
          let contrast = try Self.contrast(try #require(colors[name]), back)
          #expect(contrast >= least, "\(name) on \(background): \(contrast)")
        }
      }
    }
  }

  @Test func bothPalettesNameTheSameColours() {
    #expect(Palette.light.colors.map(\.name) == Palette.dark.colors.map(\.name))
    let used = PageStyle.css.matches(of: /var\(--([a-z]+)\)/).map { String($0.1) }
    #expect(Set(used).isSubset(of: Set(Palette.light.colors.map(\.name))))
  }

  private static func contrast(_ a: String, _ b: String) throws -> Double {
    let (high, low) = (max(try luminance(a), try luminance(b)), min(try luminance(a), try luminance(b)))
    return (high + 0.05) / (low + 0.05)
  }

  /// Relative luminance of `#rrggbb`.
  private static func luminance(_ color: String) throws -> Double {
    let value = try #require(Int(color.dropFirst(), radix: 16))
    let parts = [16, 8, 0].map { shift -> Double in
      let c = Double(value >> shift & 255) / 255
      return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }
}
