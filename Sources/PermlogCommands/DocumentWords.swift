// How the options and commands are called that reports, comparisons and plans point to.

import ReportRendering

enum DocumentWords {
  static let text: HintWords = { hint in
    switch hint {
    case .fillLog: "permlog ingest export.ndjson"
    case .widenInterval: "Ask for a longer interval, or leave --from, --to and --week out."
    case .listKinds: "; permlog info says what the log holds."
    case .lookFromLater: " (--as-of)"
    case .readJSON: "; --format json has them."
    case .plannedUsers: " (--planned-n)"
    case .compareAsPlanned(let users, let looks): "`--planned-n \(users)\(looks.map { " --looks \($0)" } ?? "")`"
    }
  }
}
