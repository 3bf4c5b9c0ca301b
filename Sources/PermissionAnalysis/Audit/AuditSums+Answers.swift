// From counts to findings: answers that cannot be all of them. Of the whole log, whatever exposures the question chooses.

import PermissionEvents

extension AuditSums {
  func answers(_ name: [UInt8], _ counts: [Int64], _ question: AuditQuestion) -> [AuditFinding] {
    let permission = String(decoding: name, as: UTF8.self)
    var found: [AuditFinding] = []
    let (unexposed, exposed) = (self[.unexposed, counts], self[.exposed, counts])
    if unexposed + exposed > 0 {
      found.append(
        AuditFinding(
          .answersWithoutScreens, permission: permission, users: unexposed, of: unexposed + exposed,
          examples: ids(.answersWithoutScreens, name),
          leftOut: Self.leftOut(.answersWithoutScreens, unexposed, unexposed + exposed, question)))
    }
    if exposed > 0, UnansweredPermission(rawValue: permission) == nil {
      found.append(oneSided(name, granted: self[.granted, counts], denied: self[.denied, counts]))
    }
    return found
  }

  private func oneSided(_ name: [UInt8], granted: Int64, denied: Int64) -> AuditFinding {
    let answers = granted + denied
    let leftOut: AuditFinding.LeftOut? =
      if answers == 0 { .nothingToSee } else if answers < AuditCheck.oneSidedAnswers.least {
        .tooFew
      } else if granted > 0, denied > 0 { .belowThreshold } else { nil }
    return AuditFinding(
      .oneSidedAnswers, permission: String(decoding: name, as: UTF8.self), users: answers,
      detail: .answers(granted: granted, denied: denied), examples: ids(.oneSidedAnswers, name), leftOut: leftOut)
  }
}
