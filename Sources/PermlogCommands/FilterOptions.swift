// Which journeys a question is about: when they began, and conditions on their exposures.

import ArgumentParser
import Permlog

struct FilterOptions: ParsableArguments {
  @Option(help: ArgumentHelp("One ISO week, like 2026-W14.", valueName: "week"), completion: .weeks)
  var week: String?

  @Option(help: ArgumentHelp("Start date of exposures, in the time zone.", valueName: "date"))
  var from: String?

  @Option(help: ArgumentHelp("End date, exclusive, in the time zone.", valueName: "date"))
  var to: String?

  @OptionGroup var conditions: ConditionOptions

  func validate() throws {
    if week != nil, from != nil || to != nil { throw ValidationError("--week cannot be combined with --from and --to") }
  }

  /// The first day and the day after the last; nil where none was given.
  func interval() throws -> (from: CivilDate?, to: CivilDate?) {
    if let week {
      guard let week = ISOWeek(parsing: week) else {
        throw CommandFailure.usage("--week: \(week) is not an ISO week like 2026-W14")
      }
      return (CivilDate(week.firstDay), CivilDate(week.firstDay + 7))
    }
    let from = try from.map { try Moments.date($0, option: "--from") }
    let to = try to.map { try Moments.date($0, option: "--to") }
    if let from, let to, from.dayNumber >= to.dayNumber { throw CommandFailure.usage("--from must be before --to") }
    return (from, to)
  }

  /// Puts what was given over an interval and conditions.
  func apply(from: inout CivilDate?, to: inout CivilDate?, _ conditions: inout [ExposureCondition]) throws {
    let interval = try interval()
    if let first = interval.from { from = first }
    if let end = interval.to { to = end }
    try self.conditions.apply(to: &conditions)
  }
}
