// Sums that a file brought may contradict themselves.

import Folding

extension GroupedSums {
  /// What figures take for granted of sums that a fold made, of sums that a file brought.
  func checkFigures() throws(SumsError) {
    func damaged(_ what: String) -> SumsError { SumsError(.damaged, "table groups contradicts itself: \(what)") }
    let shares = Self.shares
    for slot in keys.indices {
      let integers = integers(of: slot)
      let times = times(of: slot)
      func count(_ counter: Counter) -> Int64 { integers[counter.rawValue] }
      func all(_ granted: Counter) -> Int64 { (0..<4).reduce(0) { $0 &+ integers[granted.rawValue + $1] } }
      for place in 0..<Counter.places where integers[place] > SumKeys.mostUsers { throw damaged("too many") }
      guard all(.granted) == count(.exposed) - count(.pending) - count(.restricted) else { throw damaged("outcomes") }
      for place in 0..<4 {
        let outcome = integers[Counter.granted.rawValue + place]
        let explained = integers[Counter.explainedGranted.rawValue + place]
        let continued = integers[Counter.continuedGranted.rawValue + place]
        let prompted = integers[Counter.promptedGranted.rawValue + place]
        guard explained <= outcome, prompted <= outcome, continued <= explained, continued <= prompted else {
          throw damaged("steps")
        }
      }
      for (part, whole) in shares where integers[part] > integers[whole] { throw damaged("shares") }
      for (series, counts) in zip(TimeSeries.allCases, times)
      where counts.total != integers[Counter.timeCount + series.rawValue] {
        throw damaged("times")
      }
    }
  }

  /// Throws if sums that a file brought have values of properties that nobody asked for.
  func check(properties: Int) throws(SumsError) {
    func has(_ name: [UInt8]) -> Bool { properties == 0 ? !name.isEmpty : !ValueName.values(name)[1].isEmpty }
    guard properties < 2, values.contains(where: has) else { return }
    throw SumsError(.damaged, "table groups has values of more properties than the question")
  }

  /// Places of integers of which the one is a part of the other.
  private static let shares: [(Int, Int)] =
    [
      (.partial, .granted), (.answeredByStatus, .exposed), (.followUpGranted, .followUpEligible),
      (.followUpPartial, .followUpGranted),
      (.outsideGranted, .outsideBase),
      (.afterGrantEligible, .granted), (.revoked, .afterGrantEligible), (.partialEligible, .afterGrantEligible),
      (.upgraded, .partialEligible), (.settingsShown, .denied), (.settingsOpened, .settingsShown),
      (.settingsEligible, .settingsShown), (.settingsEnabled, .settingsEligible),
      (.settingsPartial, .settingsEnabled), (.engagedGranted, .granted),
    ].map { (part: Counter, whole: Counter) in (part.rawValue, whole.rawValue) }
    + (0..<4 * retentionDays.count).map { (Counter.retention + 2 * $0 + 1, Counter.retention + 2 * $0) }
    + (0..<3).flatMap { number -> [(Int, Int)] in
      let returning = Counter.returning + number * Counter.returningStride
      return [(returning + 1, returning), (returning + 2, returning + 1)]
    }
}
