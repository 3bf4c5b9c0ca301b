// Why a method of a comparison makes no statement.

import Statistics

extension Comparison {
  /// Why there is no always-valid statement.
  public enum Refusal: Sendable, Hashable {
    case fewUsers(variant: String, have: Int, need: Int)
    /// Too few with the outcome.
    case fewEvents(variant: String, have: Int, need: Int)
    /// Too few without it.
    case fewNonEvents(variant: String, have: Int, need: Int)
    /// The outcome varies in neither arm.
    case noVariance

    /// - Parameters:
    ///   - refusal: of a sequence that took B first.
    ///   - a: name of the control.
    ///   - b: name of the other message.
    init(_ refusal: AsymptoticConfidenceSequence.Refusal, a: String, b: String) {
      func name(_ arm: Int) -> String { arm == 1 ? b : a }
      self =
        switch refusal {
        case .tooFewUsers(let arm, let have, let need): .fewUsers(variant: name(arm), have: have, need: need)
        case .tooFewEvents(let arm, let have, let need): .fewEvents(variant: name(arm), have: have, need: need)
        case .tooFewNonEvents(let arm, let have, let need): .fewNonEvents(variant: name(arm), have: have, need: need)
        case .noVariance: .noVariance
        }
    }
  }

  /// Why nothing is said of a trend over the days.
  public enum NoveltyRefusal: Sendable, Hashable {
    /// An arm has nobody.
    case nobody
    /// The mathematics declines, for lack of days or of variance.
    case declined(StatisticsError)
  }
}
