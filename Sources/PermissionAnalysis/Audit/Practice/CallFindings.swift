// What an audit says of calls that return at once. Of all prompts of the log, each of which counts.

extension CallSums {
  /// Candidates of `asked_without_dialog` and `logged_together`, of each permission and platform with an answer that came at once.
  func candidates(_ question: AuditQuestion) -> [AuditFinding] {
    notable.map { unit, counts in
      let permission = String(decoding: unit.permission, as: UTF8.self)
      let detail = AuditFinding.Detail.prompts(
        platform: unit.platform.isEmpty ? nil : String(decoding: unit.platform, as: UTF8.self))
      if counts.areLoggedTogether { return AuditFinding(.loggedTogether, permission: permission, detail: detail) }
      return AuditFinding(
        .askedWithoutDialog, permission: permission, users: counts.atOnce, of: counts.answered, detail: detail,
        leftOut: counts.isApplied
          ? AuditSums.leftOut(.askedWithoutDialog, counts.atOnce, counts.answered, question) : .nothingToSee)
    }
  }
}
