// From counts to findings: how the app asks.

import PermissionEvents
import Statistics

extension AuditSums {
  /// What every check of the log found, or looked at and left out. Of very many permissions what was left out is cut short.
  func candidates(_ question: AuditQuestion) -> [AuditFinding] {
    var found =
      [several(question)] + feed.candidates(question) + IngestTally.candidates(ingests, question)
      + calls.candidates(question)
    var leftOut = 0
    for (name, counts) in permissions.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let areListed = leftOut < Self.mostLeftOut
      let own =
        practice(name, counts, question, areOthersListed: areListed).compactMap(\.self)
        + answers(name, counts, question).filter { areListed || $0.leftOut == nil }
      leftOut += own.count { $0.leftOut != nil }
      found += own
    }
    return found
  }

  /// About so many checks of permissions are listed though they found nothing.
  static let mostLeftOut = 20_000

  /// - Parameter areOthersListed: if not, what found nothing is nil.
  private func practice(
    _ name: [UInt8], _ counts: [Int64], _ question: AuditQuestion, areOthersListed: Bool
  ) -> [AuditFinding?] {
    guard self[.journeys, counts] > 0 else { return [] }
    func finding(
      _ check: AuditCheck, _ part: PracticeCounter, of whole: PracticeCounter, needs kind: PracticeEvidence? = nil,
      cost: @autoclosure () -> Estimate? = nil, detail: @autoclosure () -> AuditFinding.Detail = .none
    ) -> AuditFinding? {
      let (users, of) = (self[part, counts], self[whole, counts])
      let leftOut = Self.leftOut(check, users, of, question)
      guard leftOut == nil || areOthersListed else { return nil }
      // Without the kind that it needs it is a note, and says so.
      let missing = kind.flatMap { has($0) ? nil : EventKind(rawValue: $0.kind) }
      return AuditFinding(
        check, severity: missing == nil ? nil : .note, permission: String(decoding: name, as: UTF8.self), users: users,
        of: of, cost: cost(), detail: missing.map { .notLogged($0) } ?? detail(), examples: ids(check, name),
        leftOut: leftOut)
    }
    return [
      finding(
        .coldAsk, .cold, of: .journeys, needs: .explanationShown,
        cost: has(.explanationShown)
          ? difference((.explainedGranted, .explainedBase), (.coldGranted, .coldBase), counts) : nil,
        detail: .rates(
          with: rate(.coldGranted, .coldBase, counts), without: rate(.explainedGranted, .explainedBase, counts))),
      finding(
        .askedAtOnce, .atOnce, of: .firstUse,
        cost: difference((.laterGranted, .laterBase), (.atOnceGranted, .atOnceBase), counts),
        detail: .rates(
          with: rate(.atOnceGranted, .atOnceBase, counts), without: rate(.laterGranted, .laterBase, counts))),
      finding(.askedAfterNotNow, .askedAfterSkip, of: .skipped),
      finding(.askedAfterDenial, .askedAfterOff, of: .off),
      finding(.pestering, .pestered, of: .journeys),
      finding(.noWayBack, .noWayBack, of: .deniedFollowed, needs: .settingsPromptShown),
      has(.settingsOpened)
        ? finding(.settingsPromptIgnored, .settingsIgnored, of: .settingsPrompted)
        : settingsNeverOpened(name, counts, areOthersListed),
      finding(.notRechecked, .notRechecked, of: .updated, needs: .statusChecked),
      finding(.partialLeft, .partialLeft, of: .partial),
      finding(.contradictedAnswers, .contradicted, of: .deniedKnown),
    ]
  }

  /// Whether anybody followed a Settings prompt is not known of a log without a single one that was opened.
  private func settingsNeverOpened(_ name: [UInt8], _ counts: [Int64], _ isListed: Bool) -> AuditFinding? {
    guard isListed else { return nil }
    return AuditFinding(
      .settingsPromptIgnored, permission: String(decoding: name, as: UTF8.self), of: self[.settingsPrompted, counts],
      detail: .notLogged(.settingsOpened), leftOut: .nothingToSee)
  }

  private func several(_ question: AuditQuestion) -> AuditFinding {
    let (users, of) = (with.users, with.users + without.users)
    return AuditFinding(
      .severalAtOnce, users: users, of: of, cost: UserRatio.difference(without, with),
      detail: .rates(with: with.rate, without: without.rate), examples: ids(.severalAtOnce, nil),
      leftOut: Self.leftOut(.severalAtOnce, users, of, question))
  }

  /// Why it is no finding; nil if it is one. Nobody is no finding, whatever the threshold.
  static func leftOut(
    _ check: AuditCheck, _ users: Int64, _ of: Int64, _ question: AuditQuestion
  ) -> AuditFinding.LeftOut? {
    if of == 0 { return .nothingToSee }
    if of < check.least { return .tooFew }
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
