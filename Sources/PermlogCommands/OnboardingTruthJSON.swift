// The truths of the onboarding as JSON, `permlog.onboarding-truth/1`; docs/simulation.md describes the keys. Groups and classes have the
// names of the report's and of the flows' JSON; a plain number takes the place of a value with an interval.

import ExportSimulation
import PermissionEvents
import ReportRendering

enum OnboardingTruthJSON {
  static func render(_ truth: OnboardingTruth) -> [UInt8] {
    let options = truth.options
    return JSONWriter.document(
      [
        "schema": "permlog.onboarding-truth/1", "users": options.users, "seed": String(options.seed),
        "weeks": options.weeks, "start": CivilDate(options.firstDay).text, "as_of": Timestamp.text(truth.asOf),
        "log_start": Timestamp.text(options.firstDay * millisecondsPerDay),
        "time_zone": "UTC", "response_window_ms": 1_800_000, "timing": truth.timing.map(timing),
        "flow": truth.flows.map(flow), "release": release(truth), "surfaces": truth.surfaces.map(surfaces),
      ] as JSONMembers)
  }

  private static func timing(_ timing: OnboardingTruth.Timing) -> JSONMembers {
    [
      "permission": timing.permission, "by_install": classes(timing.byInstall),
      "by_active_days": classes(timing.byActiveDays), "by_feature_used": classes(timing.byFeatureUsed),
    ]
  }

  private static func classes(_ rates: [OnboardingTruth.Rate]) -> JSONMembers {
    [
      "classes": rates.map { rate -> JSONMembers in
        ["class": rate.name, "base": rate.base, "rate": rate.rate]
      }
    ]
  }

  private static func flow(_ flows: OnboardingTruth.Flows) -> JSONMembers {
    [
      "which": flows.which, "flows": flows.flows,
      "tree": flows.tree.map { node -> JSONMembers in
        [
          "prefix": node.prefix, "flows": node.flows, "outcomes": outcomes(node.outcomes), "went_on": node.wentOn,
        ]
      },
      "by_position": flows.byPosition.flatMap { permission, rates in
        rates.map { rate -> JSONMembers in
          ["permission": permission, "position": rate.name, "base": rate.base, "rate": rate.rate]
        }
      },
      "by_outcome_before": flows.byOutcomeBefore.flatMap { permission, rates in
        rates.map { rate -> JSONMembers in
          ["permission": permission, "before": rate.name, "base": rate.base, "rate": rate.rate]
        }
      },
      "declared": [
        "permissions": OnboardingTruth.declaredSteps, "started": flows.reached.first, "reached": flows.reached,
        "answered": flows.answered, "completed": flows.answered.last,
      ] as JSONMembers,
    ]
  }

  private static func outcomes(_ shares: [Double]) -> JSONMembers {
    func share(_ outcome: AskOutcome) -> Double { shares[outcome.rawValue] }
    return [
      "granted": share(.granted), "denied": share(.denied), "skipped": share(.skipped),
      "dropped_off": share(.droppedOff), "restricted": share(.restricted),
    ]
  }

  private static func release(_ truth: OnboardingTruth) -> JSONMembers {
    [
      "property": "app_version", "a": OnboardingTruth.versions.first, "b": OnboardingTruth.versions.last,
      "permissions": truth.releases.map { release -> JSONMembers in
        [
          "permission": release.permission, "a": release.old, "b": release.new,
          "difference": TrueFigures.difference(release.new, release.old),
        ]
      },
    ]
  }

  private static func surfaces(_ permission: String, _ rates: [OnboardingTruth.Rate]) -> JSONMembers {
    [
      "permission": permission,
      "values": rates.map { rate -> JSONMembers in
        ["value": rate.name, "base": rate.base, "rate": rate.rate]
      },
    ]
  }
}
