// Capping outliers at a pooled quantile.

/// Winsorization: values above a cap count as the cap.
public enum Winsorization {
  /// The type-7 quantile of both groups together; never one of each group, which would hide a difference of tails.
  public static func pooledCap(_ first: [Double], _ second: [Double], quantile: Double) -> Double? {
    Quantiles.type7((first + second).sorted(), quantile)
  }

  public static func capped(_ values: [Double], at cap: Double) -> [Double] { values.map { min($0, cap) } }
}
