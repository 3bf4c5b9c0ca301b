// The truths: consistent in themselves, and those of the population that is drawn.

import PermissionEvents
import Testing

@testable import ExportSimulation

@Suite struct TruthTests {
  private func rates(_ figures: TrueFigures) -> [Double?] {
    [
      figures.grantRate, figures.denyRate, figures.skipRate, figures.dropOffRate, figures.promptGrantRate,
      figures.grantedByFollowUp, figures.explained, figures.cold, figures.revoked, figures.upgraded,
      figures.settingsOpened, figures.settingsEnabled,
    ] + figures.enabledLater + figures.retention.flatMap { $0.byOutcome + [$0.notGranted, $0.all] }
  }

  @Test(arguments: [1, 2, 5, 12, 60]) func ratesAreSharesAndAddUp(weeks: Int) throws {
    let truth = SimulationTruth(.small(users: 4000, weeks: weeks))
    #expect(truth.rows.count == PermissionModel.all.count * (weeks + 1))
    #expect(!truth.experiments.isEmpty)
    for row in truth.rows {
      #expect(rates(row.figures).allSatisfy { ($0 ?? 0) >= 0 && ($0 ?? 0) <= 1 }, "\(row.permission) \(row.week ?? "")")
      let four = [row.figures.grantRate, row.figures.denyRate, row.figures.skipRate, row.figures.dropOffRate]
      #expect(abs(four.reduce(0) { $0 + ($1 ?? 0) } - 1) < 1e-12)
      let byFollowUp = try row.figures.grantedByFollowUp.map { ($0, try #require(row.figures.grantRate)) }
      if let byFollowUp, row.week != nil { #expect(byFollowUp.0 > byFollowUp.1) }
    }
  }

  @Test func whatCannotBeKnownYetIsUnknown() {
    let figures = SimulationTruth(.small(weeks: 4)).rows.filter { $0.week == nil }.map(\.figures)
    for figures in figures {
      // No journey is followed for four weeks in an export of four; day 30 is after it.
      #expect(figures.grantedByFollowUp == nil && figures.revoked == nil)
      #expect(figures.enabledLater.allSatisfy { $0 == nil })
      #expect(figures.retention.last?.all == nil)
      #expect(figures.retention.first?.all != nil)
    }
  }

  @Test func theEffectIsTheOneThatWasPutIn() throws {
    let truth = SimulationTruth(.small(users: 10_000, weeks: 10))
    for experiment in truth.experiments {
      let model = try #require(PermissionModel.all.first { $0.name == experiment.permission })
      let factor = try #require(model.experiment?.grantFactor)
      let (a, b) = (try #require(experiment.a.promptGrantRate), try #require(experiment.b.promptGrantRate))
      // Skipping depends on the engagement, so that those who are asked differ a little.
      #expect(abs(b / a - factor) < 0.01, "\(experiment.name)")
      if factor == 1 { #expect(experiment.a.grantRate == experiment.b.grantRate) }
    }
  }

  /// Engagement drives granting and staying: those who grant come back more often, and granting is not the reason.
  @Test func theLatentConfoundsRetention() throws {
    for row in SimulationTruth(.small(users: 4000, weeks: 12)).rows where row.week == nil {
      for retention in row.figures.retention {
        let granted = try #require(retention.byOutcome[0])
        #expect(granted > (try #require(retention.notGranted)), "\(row.permission), day \(retention.day)")
      }
    }
  }

  /// Counts of a large draw, by a plain reading of the lines, against the expectation: within 4.5 standard errors.
  @Test func theDrawHasTheTrueRates() throws {
    let options = SimulationOptions.small(users: 4000, seed: 11, weeks: 2)
    var outcome: [String: String] = [:]
    let rows = try Simulated(options).objects().sorted {
      ($0["timestamp"] as? String ?? "") < ($1["timestamp"] as? String ?? "")
    }
    for row in rows {
      guard let permission = row["permission"] as? String, let user = row["user_id"] as? String else { continue }
      let key = permission + " " + user
      switch (row["event"] as? String ?? "", outcome[key]) {
      case ("explanation_shown", nil), ("prompt_shown", nil): outcome[key] = "dropped_off"
      case ("granted", "dropped_off"), ("denied", "dropped_off"), ("skipped", "dropped_off"):
        // A later visit's answer is none: no visit has another of this permission's screens within the window.
        let status = row["status"] as? String
        outcome[key] = status == "restricted" ? "restricted" : row["event"] as? String
      default: break
      }
    }
    for row in SimulationTruth(options).rows where row.week == nil {
      let outcomes = outcome.filter { $0.key.hasPrefix(row.permission + " ") }.values
      func expectNear(_ count: Int, _ expected: Double, of trials: Double, _ what: String) {
        let deviation = (expected * (1 - expected / trials)).squareRoot()
        let isNear = abs(Double(count) - expected) < 4.5 * deviation + 1
        #expect(isNear, "\(row.permission), \(what): \(count), \(expected)")
      }
      let figures = row.figures
      expectNear(outcomes.count, figures.exposed, of: 4000, "exposed")
      expectNear(outcomes.count { $0 == "restricted" }, figures.restricted, of: figures.exposed, "restricted")
      expectNear(
        outcomes.count { $0 == "skipped" }, figures.base * (figures.skipRate ?? 0), of: figures.base, "skipped")
    }
  }
}
