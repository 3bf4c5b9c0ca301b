// Numbers for people.

/// A whole number with spaces between groups of three digits, from five digits on.
package func grouped(_ n: Int) -> String {
  let digits = String(n.magnitude)
  guard digits.utf8.count > 4 else { return String(n) }
  var out = ""
  for (i, digit) in digits.enumerated() {
    if i > 0, (digits.utf8.count - i) % 3 == 0 { out += " " }
    out.append(digit)
  }
  return (n < 0 ? "-" : "") + out
}

/// A number with a fixed number of decimals, rounded half away from zero.
package func fixed(_ value: Double, _ decimals: Int) -> String {
  guard value.isFinite, abs(value) < 1e15 else { return value.isNaN ? "–" : value < 0 ? "-∞" : "∞" }
  var scale = 1
  for _ in 0..<decimals { scale *= 10 }
  let scaled = Int((abs(value) * Double(scale)).rounded())
  let whole = String(scaled / scale)
  let sign = value < 0 && scaled > 0 ? "-" : ""
  guard decimals > 0 else { return sign + whole }
  let rest = String(scaled % scale)
  return sign + whole + "." + String(repeating: "0", count: decimals - rest.utf8.count) + rest
}

/// A number with what it counts.
package func counted(_ n: Int, _ one: String, _ many: String) -> String { "\(grouped(n)) \(n == 1 ? one : many)" }
