// The primary test of two rates.

/// Pooled z, or Fisher's mid-p where an expected cell is below 5.
public struct EqualityTest: Sendable {
  public enum Method: String, Sendable {
    case z
    case fisherMidP = "fisher_mid_p"
  }

  public let method: Method
  public let pValue: Double
  /// Kept also where `pValue` is below the smallest double.
  public let log10PValue: Double
  /// False where all users, or none, had the outcome in both arms; `pValue` is then 1 and the method `z`.
  public let hasInformation: Bool

  /// The two-sided test of equal rates; nil where either has no trials.
  public static func primary(_ first: BinomialSample, _ second: BinomialSample) -> EqualityTest? {
    guard let z = PooledZ.test(first, second) else { return nil }
    guard z.hasInformation, smallestExpectedCell(first, second) < 5, let exact = FisherExact.test(first, second) else {
      return EqualityTest(
        method: .z, pValue: z.pValue, log10PValue: z.log10PValue, hasInformation: z.hasInformation)
    }
    return EqualityTest(
      method: .fisherMidP, pValue: exact.midP, log10PValue: exact.log10MidP, hasInformation: true)
  }

  /// The smallest of the four expected counts under equal rates.
  static func smallestExpectedCell(_ first: BinomialSample, _ second: BinomialSample) -> Double {
    let both = first + second
    let column = Double(min(both.successes, both.failures))
    return column * (Double(min(first.trials, second.trials)) / Double(both.trials))
  }
}
