// exp and log from the basic operations of IEEE 754 alone. The C libraries of Linux and macOS differ in the last bit of
// theirs, and one different bit can move a timestamp: the same seed must give the same bytes everywhere.

enum ElementaryFunctions {
  private static let ln2 = 0.693_147_180_559_945_3

  /// e to the power of `x`, by argument reduction and a Taylor series of 16 terms; for |x| below 700.
  static func exp(_ x: Double) -> Double {
    let k = (x / ln2).rounded()
    let r = x - k * ln2
    var term = 1.0
    var sum = 1.0
    for n in 1...16 {
      term *= r / Double(n)
      sum += term
    }
    return Double(sign: .plus, exponent: Int(k), significand: sum)
  }

  /// Natural logarithm of `x` > 0, by 2·artanh((m − 1) / (m + 1)) of the significand m in [1, 2).
  static func log(_ x: Double) -> Double {
    let m = x.significand
    let s = (m - 1) / (m + 1)
    let square = s * s
    var power = s
    var sum = 0.0
    var odd = 1.0
    while odd < 36 {
      sum += power / odd
      power *= square
      odd += 2
    }
    return 2 * sum + Double(x.exponent) * ln2
  }
}
