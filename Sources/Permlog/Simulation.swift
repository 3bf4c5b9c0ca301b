// A made-up export with known truths.

import ExportSimulation
import PermissionEvents

/// A made-up population of an app's users. Equal values give equal bytes on every platform.
public struct Simulation: Sendable {
  package let options: SimulationOptions

  /// - Parameters:
  ///   - users: the number of users who install the app, 1 to a thousand million.
  ///   - seed: the seed of the random draw.
  ///   - weeks: the length of the export, 1 to 520.
  ///   - firstDay: the first day of the export, in UTC.
  ///   - population: the kind of app that the users live through.
  ///   - decidedBefore: the percentage of the users, 0 to 80, who had decided before the export begins, so that their
  ///     calls return at once; for the everyday population.
  ///   - assignments: whether the variants of the experiments are events of their own (`assigned`), and no screen has
  ///     them; for the everyday population.
  ///   - settingsMessages: whether the Settings prompts have two messages, each permission's an experiment of its own; for the
  ///     everyday population without assignments.
  /// - Throws: `usage` for other numbers, or for an export that would end after 2099.
  public init(
    users: Int = 10_000, seed: UInt64 = 1, weeks: Int = 12,
    firstDay: CivilDate = CivilDate(year: 2025, month: 1, day: 6), population: SimulatedPopulation = .everyday,
    decidedBefore: Int = 0, assignments: Bool = false, settingsMessages: Bool = false
  ) throws(PermlogError) {
    guard (1...SimulationOptions.longestUsers).contains(users), (1...SimulationOptions.longestWeeks).contains(weeks)
    else {
      throw .usage(
        "a simulation needs 1 to \(SimulationOptions.longestUsers) users and 1 to \(SimulationOptions.longestWeeks) weeks"
      )
    }
    guard (0...(population == .everyday ? SimulationOptions.mostDecidedBefore : 0)).contains(decidedBefore) else {
      throw .usage(
        "decidedBefore must be 0 to \(SimulationOptions.mostDecidedBefore) percent, and must be 0 with the onboarding")
    }
    guard population == .everyday || !assignments else {
      throw .usage("assignments need experiments. The onboarding has no experiments: use the everyday population.")
    }
    guard !settingsMessages || population == .everyday && !assignments else {
      throw .usage("messages of Settings prompts need the everyday population, and screens that carry the messages")
    }
    options = SimulationOptions(
      users: users, seed: seed, weeks: weeks, firstDay: try firstDay.checkedDay(), population: population,
      decidedBefore: decidedBefore, assignments: assignments, settingsMessages: settingsMessages)
    guard options.end <= Timestamp.latest else { throw .usage("the export would end after 2099. Begin earlier.") }
  }

  /// Whether the export has times that an ingest refuses today, unless it allows future times.
  public var endsInTheFuture: Bool { options.end > SystemClock.now + Timestamp.futureAllowance }

  /// Writes the export.
  /// - Parameters:
  ///   - form: the form of the export.
  ///   - write: takes pieces that end at the end of a line. If it throws, the export ends with `stopped`.
  @discardableResult
  public func write(
    as form: SimulatedFormat = .ndjson, to write: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws(PermlogError) -> SimulationSummary {
    try translating { try ExportSimulator.write(options, as: form, to: write) }
  }
}
