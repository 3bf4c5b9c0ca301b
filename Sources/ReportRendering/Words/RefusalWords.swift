// Why a figure is missing, in sentences.

import PermissionAnalysis

extension Comparison.AlwaysValidRefusal {
  var sentence: String {
    func few(_ variant: String, _ have: Int, _ noun: String, _ need: Int) -> String {
      "\(variant) has \(Sentence.counted(have, noun)); an always-valid statement needs \(need) for each message."
    }
    return switch self {
    case .fewUsers(let variant, let have, let need): few(variant, have, "user", need)
    case .fewEvents(let variant, let have, let need): few(variant, have, "event", need)
    case .fewNonEvents(let variant, let have, let need): few(variant, have, "non-event", need)
    case .noVariance: "The outcome does not vary in either arm."
    }
  }
}

extension Comparison.NoveltyRefusal {
  var sentence: String {
    switch self {
    case .nobody: "An arm has nobody."
    case .declined(let error): error.sentence
    }
  }
}

extension ExperimentPlan.PlanRefusal {
  /// The refusal in plain English.
  public var sentence: String {
    switch self {
    case .unknownTraffic: "How many exposures a day there are is not known."
    case .noSuchRate(let effect, let baseline):
      "No rate lies \(Sentence.points(effect)) points from \(Sentence.percent(baseline)), up or down."
    }
  }
}
