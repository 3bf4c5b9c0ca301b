// The table of properties that rows carry again and again and that nothing reads, with values and users.

import Permlog
import ReportRendering

extension CarriedProperty {
  /// The option that reads it, to paste.
  var option: String {
    permission.map { "--state " + CommandWords.quoted("\($0)=\(name)") }
      ?? "--experiment " + CommandWords.quoted(name)
  }
}

extension [TalliedEvent] {
  /// Rows that count as events for a variant or a state alone, while their own event is not stored.
  func carriers(_ counts: ImportCounts) -> Int {
    let notMapped = filter { !$0.isStored && $0.missing == nil }.reduce(0) { $0 + $1.count }
    return counts.events == 0 ? 0 : Swift.max(0, notMapped - counts.unmapped)
  }
}

/// Empty without properties.
struct CarriedTable {
  private let properties: [CarriedProperty]
  private let style: TextStyle
  private static let shownProperties = 20
  private static let shownValues = 5

  init(_ properties: [CarriedProperty], style: TextStyle) {
    self.properties = properties
    self.style = style
  }

  var text: String {
    guard !properties.isEmpty else { return "" }
    var lines = [
      "", "Properties of rows that are not read. If one chooses a message, or is what iOS",
      "says of a permission, read it with its option:",
    ]
    for property in properties.prefix(Self.shownProperties) {
      lines.append("  " + style.legible(property.option))
      let values = property.values.prefix(Self.shownValues).map {
        "\(style.legible($0.text.isEmpty ? "off or not asked" : $0.text)) \($0.isEstimate ? "about " : "")\(counted($0.users, "user", "users"))"
      }
      let more = property.values.count - values.count
      guard !values.isEmpty else { continue }
      lines.append(
        "      " + (values + (more > 0 ? ["and \(counted(more, "other", "others"))"] : [])).joined(separator: ", "))
    }
    let more = properties.count - Self.shownProperties
    if more > 0 { lines.append("  and \(counted(more, "other property", "other properties"))") }
    return lines.map { $0 + "\n" }.joined()
  }
}
