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
        practice(name, counts, question, areOthersListed: areListed)
        + answers(name, counts, question).filter { areListed || $0.leftOut == nil }
      leftOut += own.count { $0.leftOut != nil }
      found += own
    }
    return found
  }

  /// About so many checks of permissions are listed though they found nothing.
  static let mostLeftOut = 20_000

  /// - Parameter areOthersListed: if not, what found nothing is left out.
  private func practice(
    _ name: [UInt8], _ counts: [Int64], _ question: AuditQuestion, areOthersListed: Bool
  ) -> [AuditFinding] {
    guard self[.journeys, counts] > 0 else { return [] }
    return AuditCheck.countedChecks.compactMap { check, counted in
      let permission = String(decoding: name, as: UTF8.self)
      let (users, of) = (self[counted.part, counts], self[counted.whole, counts])
      let missing = counted.evidence.flatMap { has($0) ? nil : EventKind(rawValue: $0.kind) }
      if let missing, counted.isUnknownWithout {
        guard areOthersListed else { return nil }
        return AuditFinding(
          check, permission: permission, of: of, detail: .notLogged(missing), leftOut: .nothingToSee)
      }
      let leftOut = Self.leftOut(check, users, of, question)
      guard leftOut == nil || areOthersListed else { return nil }
      func rate(_ grants: AuditCheck.Counted.Grants) -> (Int, Int) {
        (Int(self[grants.granted, counts]), Int(self[grants.base, counts]))
      }
      let costs = missing == nil ? counted.costs.map { (with: rate($0.with), without: rate($0.without)) } : nil
      return AuditFinding(
        check, severity: missing == nil ? nil : .note, permission: permission, users: users, of: of,
        cost: costs.flatMap { Estimate.difference($0.without, $0.with) },
        detail: missing.map { .notLogged($0) }
          ?? costs.map { .rates(with: Estimate.rate($0.with.0, $0.with.1), without: .rate($0.without.0, $0.without.1)) }
          ?? .none,
        examples: ids(check, name), leftOut: leftOut)
    }
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
}
