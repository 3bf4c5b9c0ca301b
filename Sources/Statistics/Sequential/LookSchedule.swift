// Looks with what was seen at them, evaluated for any alpha.

/// Which looks are made and what is seen there: all that does not depend on alpha.
struct LookSchedule: Sendable {
  struct Normal: Sendable {
    let day: Int
    let time: Double
    let z: Double
  }

  /// Come first.
  var exact: [ExactLook] = []
  var normal: [Normal]

  struct NormalStep: Sendable {
    let bound: Double
    let spent: Double
    let isCrossed: Bool
  }

  struct Evaluation: Sendable {
    var exact: [ExactPhase.Step] = []
    var normal: [NormalStep] = []
    /// The stage-wise p of the first look that crossed.
    var crossingP: Double?
    /// The largest over the looks of ln(error allowed there/chance of being as far out): from 0 on it crosses.
    var margin = -Double.infinity
  }

  /// All looks at this alpha; with `onlyFirst` up to the first that crosses.
  func evaluate(_ spending: AlphaSpending, alpha: Double, onlyFirst: Bool = false) -> Evaluation {
    var result = Evaluation()
    var phase = ExactPhase()
    for look in exact {
      let step = phase.look(look, allowed: spending.spent(look.time, alpha: alpha))
      result.exact.append(step)
      result.margin = max(result.margin, step.margin)
      if step.crossingP != nil, result.crossingP == nil {
        result.crossingP = step.crossingP
        if onlyFirst { return result }
      }
    }
    var path = SequentialBoundaries(unchecked: alpha, spending, alreadySpent: phase.spent)
    for look in normal {
      let before = path.spent
      let boundary = path.advance(to: look.time)
      let isCrossed = abs(look.z) >= boundary.bound
      result.normal.append(NormalStep(bound: boundary.bound, spent: path.spent, isCrossed: isCrossed))
      guard boundary.bound.isFinite else { continue }
      let exit = path.exitProbability(look.z)
      let margin = Elementary.log((boundary.cumulativeAlpha - before) / exit)
      // The bound has the word, whatever the last digits of the two logarithms say.
      result.margin = max(result.margin, isCrossed ? max(0, margin) : min(margin, -1e-15))
      if isCrossed, result.crossingP == nil {
        result.crossingP = min(boundary.cumulativeAlpha, before + exit)
        if onlyFirst { return result }
      }
    }
    return result
  }

  /// The smallest alpha in (`above`, 1] at which a look crosses, none crossing at `above` itself; 1 if none does at 1.
  ///
  /// `margin`: that at `above`. False position in ln alpha inside a bracket: the margin rises with it nearly at slope 1.
  func sequentialP(_ spending: AlphaSpending, above: Double, margin: Double) -> Double {
    func evaluate(_ log: Double) -> Double {
      self.evaluate(spending, alpha: Elementary.exp(log), onlyFirst: true).margin
    }
    var (low, lowMargin) = (Elementary.log(above), margin)
    var (high, highMargin) = (0.0, evaluate(0))
    guard highMargin >= 0 else { return 1 }
    var bracket = high - low
    for step in 0..<100 where high - low > 1e-10 {
      // An end without a number, or a bracket that shrank too little, halves it.
      var next = low - lowMargin
      if step > 0, highMargin.isFinite, lowMargin.isFinite {
        next = low - lowMargin * (high - low) / (highMargin - lowMargin)
      }
      if step % 3 == 2 {
        if high - low > bracket / 2 { next = low + (high - low) / 2 }
        bracket = high - low
      }
      // A step from either end by the tolerance closes the bracket once the root is known.
      if !(next > low && next < high) { next = low + (high - low) / 2 }
      next = min(max(next, low + 5e-11), high - 5e-11)
      let value = evaluate(next)
      if value >= 0 { (high, highMargin) = (next, value) } else { (low, lowMargin) = (next, value) }
    }
    return min(1, max(Elementary.exp(high), above.nextUp))
  }
}
