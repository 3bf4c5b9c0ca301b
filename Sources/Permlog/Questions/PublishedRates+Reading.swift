// The published rates that come with the program.

import CReferences
import EventImport
import ReportRendering

extension PublishedRates {
  /// All of `references.json`, in its order. A test reads every one.
  public static let all: [PublishedRates] = {
    let bytes = UnsafeBufferPointer(start: crf_references(), count: crf_length())
    guard case .list(let items)? = JSONTree(document: Array(bytes))?["references"] else { return [] }
    return items.compactMap(PublishedRates.init)
  }()

  private init?(_ item: JSONTree) {
    func text(_ key: String) -> String? { if case .text(let text)? = item[key] { text } else { nil } }
    guard let figure = text("figure").flatMap({ Figure(rawValue: $0) }), let permission = text("permission"),
      let denominator = text("denominator"), let source = text("source"), let published = text("published"),
      let address = text("address"), case .list(let rates)? = item["rates"]
    else { return nil }
    var apps: Int?
    if case .number(let number)? = item["apps"] { apps = Int(number) }
    self.init(
      figure: figure, permission: permission, denominator: denominator, isMedian: text("statistic") == "median",
      source: source, published: published, apps: apps, users: text("users"), address: address,
      rates: rates.compactMap(Rate.init))
  }
}

extension PublishedRates.Rate {
  fileprivate init?(_ item: JSONTree) {
    guard case .text(let platform)? = item["platform"], case .number(let number)? = item["percent"],
      let percent = Double(number)
    else { return nil }
    var vertical: String?
    if case .text(let name)? = item["vertical"] { vertical = name }
    self.init(platform: platform, vertical: vertical, percent: percent)
  }
}
