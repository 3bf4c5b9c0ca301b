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

  /// All looks at this alpha.
  func evaluate(_ spending: AlphaSpending, alpha: Double) -> Evaluation {
    var result = Evaluation()
    var phase = ExactPhase()
    for look in exact {
      let step = phase.look(look, allowed: spending.spent(look.time, alpha: alpha))
      result.exact.append(step)
      result.margin = max(result.margin, step.margin)
      if step.crossingP != nil, result.crossingP == nil {
        result.crossingP = step.crossingP
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
      }
    }
    return result
  }

  /// The smallest alpha in (`above`, 1] at which a look crosses, none crossing at `above` itself; 1 if none does at 1.
  ///
  /// `margin`: that at `above`. A bracketed search in ln alpha, in which the margin of normal looks rises nearly at slope 1.
  /// The exact phase makes it jump, and what it used moves the bounds after it both ways: then it is an alpha at which a
  /// look crosses and just below which none does.
  func sequentialP(_ spending: AlphaSpending, above: Double, margin: Double) -> Double {
    func evaluate(_ log: Double) -> Double {
      // Of all looks: one that crosses at a smaller alpha may come after the first that crosses at this one.
      self.evaluate(spending, alpha: Elementary.exp(log)).margin
    }
    var (low, lowMargin) = (Elementary.log(above), min(margin, 0))
    // Nearly slope 1: one step comes close, and mostly a little beyond.
    var least = 1e-9
    while true {
      let next = lowMargin.isFinite ? min(0, low + max(-lowMargin, least)) : 0
      least *= 4
      let value = evaluate(next)
      if value >= 0 {
        let root = root(evaluate, (low, lowMargin), (next, value))
        return min(1, max(Elementary.exp(root), above.nextUp))
      }
      if next >= 0 { return 1 }
      (low, lowMargin) = (next, value)
    }
  }

  /// Where the margin turns from below 0 to 0 or above: false position (the Illinois variant: an end that stays twice counts
  /// half), halving if that is slow. To 1e-9 or better, and to 1e-6 where the margin jumps.
  private func root(
    _ evaluate: (Double) -> Double, _ below: (at: Double, margin: Double), _ above: (at: Double, margin: Double)
  ) -> Double {
    let tolerance = 1e-6
    var (low, high) = (below, above)
    var (lowWeight, highWeight) = (1.0, 1.0)
    var wasAbove: Bool?
    var width = high.at - low.at
    for step in 1...100 where high.at - low.at > tolerance && high.margin > 1e-10 {
      var next = low.at + (high.at - low.at) / 2
      let slow = step % 3 == 0 && high.at - low.at > width / 4
      if step % 3 == 0 { width = high.at - low.at }
      if !slow, low.margin.isFinite, high.margin.isFinite {
        let (down, up) = (low.margin * lowWeight, high.margin * highWeight)
        // Just beyond the root, so that the bracket closes from above.
        let secant = high.at - up * (high.at - low.at) / (up - down) + tolerance / 20
        next = min(max(secant, low.at + tolerance / 2), high.at - tolerance / 20)
      }
      let value = evaluate(next)
      let isAbove = value >= 0
      let hasStayed = isAbove == wasAbove
      wasAbove = isAbove
      if isAbove {
        (high, highWeight, lowWeight) = ((next, value), 1, hasStayed ? lowWeight / 2 : 1)
      } else {
        (low, lowWeight, highWeight) = ((next, value), 1, hasStayed ? highWeight / 2 : 1)
      }
    }
    // A margin without a jump is straight over so short a way.
    if high.at - low.at <= tolerance, high.margin - low.margin < 1e-4 {
      return high.at - high.margin * (high.at - low.at) / (high.margin - low.margin)
    }
    return high.at
  }
}
