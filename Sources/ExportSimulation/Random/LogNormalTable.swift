// Log-normal draws from a table, so that a draw costs one random number and no exponential.

/// exp(σ·x) for x near enough to standard normal: the sum of four uniforms (Irwin–Hall), standardised, within ± 3.46.
struct LogNormalTable {
  /// exp(σ·√3·(i/256 − 2)) for i from 0 to 1024.
  private let values: [Double]

  init(sigma: Double) {
    values = (0...1024).map { ElementaryFunctions.exp(sigma * 3.0.squareRoot() * (Double($0) / 256 - 2)) }
  }

  /// A draw with the given median.
  func draw(median: Double, _ random: inout RandomSource) -> Double {
    let bits = random.next()
    // Four uniforms of 16 bits each; their sum has 18 bits, of which the upper ten choose the place in the table.
    let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + bits >> 48
    let place = Int(sum >> 8)
    let fraction = Double(sum & 0xFF) / 256
    return median * (values[place] + (values[place + 1] - values[place]) * fraction)
  }
}
