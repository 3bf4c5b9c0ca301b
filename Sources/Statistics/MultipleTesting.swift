// Adjusted p-values of a family of tests.

/// Adjusted p-values. A missing p-value (nil or NaN) stays nil and is not counted in the family.
public enum MultipleTesting {
  /// Holm: p₍ᵢ₎ = max over j ≤ i of min(1, (m − j + 1) p₍ⱼ₎). Controls the family-wise error under any dependence.
  /// Source: S. Holm, Scandinavian Journal of Statistics 6 (1979) 65.
  public static func holm(_ p: [Double?]) -> [Double?] {
    var running = 0.0
    return adjusted(p, rising: true) { value, rank, m in
      running = max(running, min(1, Double(m - rank + 1) * value))
      return running
    }
  }

  /// Benjamini–Hochberg: p₍ᵢ₎ = min over j ≥ i of min(1, m p₍ⱼ₎/j). Controls the false discovery rate of independent or
  /// positively dependent tests. Source: Y. Benjamini and Y. Hochberg, JRSS B 57 (1995) 289.
  public static func benjaminiHochberg(_ p: [Double?]) -> [Double?] { stepUp(p) { _ in 1 } }

  /// Benjamini–Yekutieli: as above, times 1 + ½ + … + 1/m, under any dependence. Source: Annals of Statistics 29 (2001)
  /// 1165.
  public static func benjaminiYekutieli(_ p: [Double?]) -> [Double?] {
    stepUp(p) { m in (1...max(1, m)).reversed().reduce(0.0) { $0 + 1 / Double($1) } }
  }

  /// Bonferroni: min(1, m p).
  public static func bonferroni(_ p: [Double?]) -> [Double?] {
    adjusted(p, rising: true) { value, _, m in min(1, Double(m) * value) }
  }

  private static func stepUp(_ p: [Double?], factor: (Int) -> Double) -> [Double?] {
    var running = 1.0
    return adjusted(p, rising: false) { value, rank, m in
      running = min(running, value * (Double(m) / Double(rank)) * factor(m))
      return running
    }
  }

  /// Visits the present p-values by rank (1 is the smallest), rising or falling.
  private static func adjusted(
    _ p: [Double?], rising: Bool, _ adjust: (_ value: Double, _ rank: Int, _ family: Int) -> Double
  ) -> [Double?] {
    var present: [(index: Int, value: Double)] = []
    for (index, value) in p.enumerated() {
      if let value, !value.isNaN { present.append((index, value)) }
    }
    present.sort { ($0.value, $0.index) < ($1.value, $1.index) }
    var result = [Double?](repeating: nil, count: p.count)
    let ranked = Array(zip(1..., present))
    for (rank, item) in rising ? ranked : ranked.reversed() {
      result[item.index] = adjust(item.value, rank, present.count)
    }
    return result
  }
}
