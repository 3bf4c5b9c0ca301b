// How far a planned experiment is.

import PermissionEvents
import Statistics

extension Comparison.Needed {
  /// The users of a pair of messages, and those that were planned.
  public struct Progress: Sendable, Hashable {
    /// With an outcome, of both messages.
    public let users: Int
    /// Users of both messages, in their planned division, that know as much as the plan's number at an even split.
    public let planned: Int
    /// The day by which they will be there at the exposures a day of the last 28 days; nil if they are there already,
    /// without a pace, and beyond ten years.
    public let until: DayNumber?
  }
}

extension Comparison.Needed.Progress {
  /// nil without a plan.
  /// - Parameter hasEnded: nobody is exposed any more.
  init?(
    _ a: BinomialSample, _ b: BinomialSample, _ tallies: ComparisonTallies, _ pair: Comparison.Pair,
    _ traffic: ExposureTraffic, hasEnded: Bool
  ) {
    let question = tallies.question
    guard let plan = question.plan else { return nil }
    let (partA, partB) = (question.split[pair.control], question.split[pair.treatment])
    let share = partA / (partA + partB)
    // An uneven pair with share s of N users knows as much as an even one with 4 s (1 − s) N.
    let exact = (Double(plan.plannedUsers) / (4 * share * (1 - share))).rounded(.up)
    guard exact < 1e15 else { return nil }
    users = a.trials + b.trials
    planned = Int(exact)
    let exposed = tallies.counted[pair.control].exposed + tallies.counted[pair.treatment].exposed
    let pace = traffic.perDay(of: pair.control) + traffic.perDay(of: pair.treatment)
    let counted = exposed > 0 ? pace * Double(users) / Double(exposed) : 0
    let days = counted > 0 ? (Double(planned - users) / counted).rounded(.up) : .infinity
    until =
      users < planned && days < 3653 && !hasEnded
      ? question.zone.lastBegunDay(at: question.windows.asOf) + DayNumber(days) : nil
  }
}
