// Numbers inside sentences.

enum Sentence {
  /// A share of 1 in percentage points, with a minus sign where it is below 0.
  static func points(_ value: Double) -> String {
    let text = decimal(value * 100, 2)
    return text.hasPrefix("-") ? "−" + text.dropFirst() : text
  }

  static func percent(_ value: Double) -> String { decimal(value * 100, 1) + " %" }

  static func counted(_ n: Int, _ noun: String) -> String { "\(n) \(noun)\(n == 1 ? "" : "s")" }

  /// `700 : 500`, users by message.
  static func ratio(_ users: [Int]) -> String { users.map(String.init).joined(separator: " : ") }

  private static func decimal(_ value: Double, _ places: Int) -> String {
    let scale = places == 1 ? 10 : 100
    guard value.isFinite, abs(value) < 1e12 else { return "unknown" }
    let scaled = Int((abs(value) * Double(scale)).rounded())
    let rest = String(scaled % scale)
    return (value < 0 && scaled > 0 ? "-" : "") + "\(scaled / scale)."
      + String(repeating: "0", count: places - rest.utf8.count) + rest
  }

  /// A p-value in two or three significant digits.
  static func pValue(_ p: Double) -> String {
    guard p > 0 else { return "below 1e-300" }
    if p >= 0.001 {
      let thousandths = Int((p * 1000).rounded())
      let rest = String(thousandths % 1000)
      return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest
    }
    var exponent = 0
    var mantissa = p
    while mantissa < 1 {
      mantissa *= 10
      exponent -= 1
    }
    return "\(decimal(mantissa, 1))e\(exponent)"
  }
}
