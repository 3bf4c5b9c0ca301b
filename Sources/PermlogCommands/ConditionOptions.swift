// Whom a question is about: conditions on the exposure, as they are written.

import ArgumentParser
import Permlog

struct ConditionOptions: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only journeys whose exposure meets a condition, like country=DE,AT, platform!=ios, country= (no value) or 'app_version>=3.2'; repeat it for several, which must all hold.",
      valueName: "condition"))
  var conditions: [String] = []

  func validate() throws { _ = try parsed { ValidationError($0) } }

  /// In the order in which they were given.
  func list() throws -> [ExposureCondition] { try parsed { CommandFailure.usage($0) } }

  /// Puts those that were given, if any were, in place of others.
  func apply(to conditions: inout [ExposureCondition]) throws {
    if !self.conditions.isEmpty { conditions = try list() }
  }

  private func parsed(_ refuse: (String) -> any Error) throws -> [ExposureCondition] {
    try conditions.map { text in
      do throws(ConditionError) {
        return try ExposureCondition(parsing: text)
      } catch {
        throw refuse("--where: \(TextStyle().legible(error.description))")
      }
    }
  }
}
