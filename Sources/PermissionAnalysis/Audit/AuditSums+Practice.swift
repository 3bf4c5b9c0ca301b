// From counts to findings: how the app asks.

import PermissionEvents
import Statistics

extension AuditSums {
  /// What every check of the log found, or looked at and left out. Of very many permissions what was left out is cut short.
  func candidates(_ question: AuditQuestion) -> [AuditFinding] {
    var found: [AuditFinding] = []
    var leftOut = 0
    let names = permissions.keys.sorted { $0.lexicographicallyPrecedes($1) }
    for name in names {
      guard let counts = permissions[name] else { continue }
      for finding in practice(name, counts, question) + answers(name, counts, question) {
        if finding.leftOut != nil { leftOut += 1 }
        if finding.leftOut == nil || leftOut <= Self.mostLeftOut { found.append(finding) }
      }
    }
    return found + [several(question)] + feed.candidates(question) + IngestTally.candidates(ingests, question)
  }

  /// Most checks of permissions that are listed though they found nothing.
  static let mostLeftOut = 20_000

  private func practice(_ name: [UInt8], _ counts: [Int64], _ question: AuditQuestion) -> [AuditFinding] {
    guard self[.journeys, counts] > 0 else { return [] }
    let explained = rate(.explainedGranted, .explainedBase, counts)
    let cold = rate(.coldGranted, .coldBase, counts)
    return [
      finding(
        .coldAsk, name, counts, .cold, of: .journeys, question, needs: .explanationShown,
        cost: difference((.explainedGranted, .explainedBase), (.coldGranted, .coldBase), counts),
        detail: .rates(with: cold, without: explained)),
      finding(
        .askedAtOnce, name, counts, .atOnce, of: .firstUse, question,
        cost: difference((.laterGranted, .laterBase), (.atOnceGranted, .atOnceBase), counts),
        detail: .rates(
          with: rate(.atOnceGranted, .atOnceBase, counts), without: rate(.laterGranted, .laterBase, counts))
      ),
      finding(.askedAfterNotNow, name, counts, .askedAfterSkip, of: .skipped, question),
      finding(.askedAfterDenial, name, counts, .askedAfterOff, of: .off, question),
      finding(.pestering, name, counts, .pestered, of: .journeys, question),
      finding(.noWayBack, name, counts, .noWayBack, of: .deniedFollowed, question, needs: .settingsPromptShown),
      settingsPromptIgnored(name, counts, question),
      finding(.notRechecked, name, counts, .notRechecked, of: .updated, question, needs: .statusChecked),
      finding(.partialLeft, name, counts, .partialLeft, of: .partial, question),
    ]
  }

  /// - Parameter kind: that the log needs to have at all; without it the finding is a note, and says so.
  private func finding(
    _ check: AuditCheck, _ name: [UInt8], _ counts: [Int64], _ part: PracticeCounter, of whole: PracticeCounter,
    _ question: AuditQuestion, needs kind: PracticeEvidence? = nil, cost: Estimate? = nil,
    detail: AuditFinding.Detail = .none
  ) -> AuditFinding {
    let missing = kind.flatMap { has($0) ? nil : EventKind(rawValue: $0.kind) }
    let (users, of) = (self[part, counts], self[whole, counts])
    return AuditFinding(
      check, severity: missing == nil ? nil : .note, permission: String(decoding: name, as: UTF8.self), users: users,
      of: of, cost: cost, detail: missing.map { .notLogged($0) } ?? detail, examples: ids(check, name),
      leftOut: Self.leftOut(check, users, of, question, least: Int64(AuditCheck.leastOf)))
  }

  /// Whether anybody followed a Settings prompt is not known of a log without a single one that was opened.
  private func settingsPromptIgnored(
    _ name: [UInt8], _ counts: [Int64], _ question: AuditQuestion
  ) -> AuditFinding {
    if has(.settingsOpened) {
      return finding(.settingsPromptIgnored, name, counts, .settingsIgnored, of: .settingsPrompted, question)
    }
    return AuditFinding(
      .settingsPromptIgnored, permission: String(decoding: name, as: UTF8.self),
      of: self[.settingsPrompted, counts], detail: .notLogged(.settingsOpened), leftOut: .nothingToSee)
  }

  private func several(_ question: AuditQuestion) -> AuditFinding {
    let (users, of) = (with.users, with.users + without.users)
    return AuditFinding(
      .severalAtOnce, users: users, of: of, cost: UserRatio.difference(without, with),
      detail: .rates(with: with.rate, without: without.rate), examples: ids(.severalAtOnce, nil),
      leftOut: Self.leftOut(.severalAtOnce, users, of, question, least: Int64(AuditCheck.leastOf)))
  }

  /// Why it is no finding; nil if it is one. Nobody is no finding, whatever the threshold.
  static func leftOut(
    _ check: AuditCheck, _ users: Int64, _ of: Int64, _ question: AuditQuestion, least: Int64
  ) -> AuditFinding.LeftOut? {
    if of == 0 { return .nothingToSee }
    if of < least { return .tooFew }
    guard users > 0, let threshold = question.threshold(check), threshold.isReached(by: users, of: of) else {
      return .belowThreshold
    }
    return nil
  }

  /// Ids of users, in the log's order.
  func ids(_ check: AuditCheck, _ permission: [UInt8]?) -> [String] {
    examples.users[ExampleName(check: check, permission: permission)]?.map { String(decoding: $0.id, as: UTF8.self) }
      ?? []
  }

  private func rate(_ part: PracticeCounter, _ whole: PracticeCounter, _ counts: [Int64]) -> Estimate? {
    Estimate.rate(Int(self[part, counts]), Int(self[whole, counts]))
  }

  private typealias Share = (part: PracticeCounter, whole: PracticeCounter)

  private func difference(_ first: Share, _ second: Share, _ counts: [Int64]) -> Estimate? {
    func numbers(_ share: Share) -> (Int, Int) { (Int(self[share.part, counts]), Int(self[share.whole, counts])) }
    return Estimate.difference(numbers(first), numbers(second))
  }
}
