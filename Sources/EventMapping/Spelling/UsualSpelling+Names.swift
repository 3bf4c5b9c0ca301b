// What the words of a name say, before any property is looked at.

import PermissionEvents

extension UsualSpelling {
  /// What a name says by itself.
  func kind(of name: NormalName) -> UsualMeaning {
    if name.hasAny(UsualWords.hedging) || name.hasAny(UsualWords.otherChannels) { return .unknown }
    if name.hasAny(UsualWords.settingsScreen), name.hasAny(UsualWords.shown) { return .event(.settingsPromptShown) }
    let isPermission = name.hasAny(UsualWords.permission)
    if isPermission || name.hasAny(UsualWords.settingsScreen), name.hasAny(UsualWords.settingsOpened) {
      return .event(.settingsOpened)
    }
    if name.hasAny(UsualWords.explanation) { return explanation(name) }
    let isPrompt =
      name.hasAny(UsualWords.prompt) || (isPermission && name.hasAny(UsualWords.promptOfPermission))
    if isPrompt, name.hasAny(UsualWords.shown) {
      // A screen about an answer that was given before is not the system's.
      return name.hasAny(UsualWords.answeredBefore) ? .unknown : .event(.promptShown)
    }
    guard isPrompt || isPermission else { return bare(name) }
    if name.hasAny(UsualWords.reEnabled) { return .event(.reEnabled) }
    if name.hasAny(UsualWords.denied) { return .event(.denied) }
    if name.hasAny(UsualWords.revoked) { return .event(.revoked) }
    if name.hasAny(UsualWords.granted) { return .event(.granted) }
    if name.hasAny(UsualWords.skipped) { return .event(.skipped) }
    if name.hasAny(UsualWords.asked) || name.hasAny(UsualWords.shown) { return asking(name) }
    return .unknown
  }

  /// `… requested` is the prompt; `permission_request` with a result is the answer, so the result is looked at first.
  private func asking(_ name: NormalName) -> UsualMeaning {
    let isOpen = name.hasAny(UsualWords.answer) || (properties.result != nil && !name.hasAny(UsualWords.shown))
    return isOpen && name == self.name ? .unknown : .event(.promptShown)
  }

  /// What became of the app's own screen. To go on from it is no answer: the system's prompt follows.
  func explanation(_ name: NormalName) -> UsualMeaning {
    if name.hasAny(UsualWords.skipped) || name.hasAny(UsualWords.denied) { return .event(.skipped) }
    if name.hasAny(UsualWords.granted) || name.hasAny(UsualWords.tapped) || name.hasAny(UsualWords.enable) {
      return .nothing("a tap on the explanation; the system's prompt follows")
    }
    return name.hasAny(UsualWords.shown) ? .event(.explanationShown) : .unknown
  }

  /// `notification_enabled`: a permission and an outcome, without a word like permission or prompt. Any other word makes
  /// something else of it (`order_notification_allowed`). `camera_enabled` is a switch of many apps, so of most
  /// permissions only the plainest words are taken.
  private func bare(_ name: NormalName) -> UsualMeaning {
    guard let permission = PermissionWords.permission(in: name), !name.hasAny(UsualWords.inApp),
      name.words.allSatisfy({
        UsualWords.bareOutcomes.contains($0) || PermissionWords.isWord($0, of: permission)
      })
    else { return .unknown }
    let isNoSwitch = permission == "notifications" || permission == "tracking"
    if isNoSwitch, name.hasAny(UsualWords.reEnabled) { return .event(.reEnabled) }
    if name.hasAny(UsualWords.plainDenied) { return .event(.denied) }
    if name.hasAny(UsualWords.plainRevoked) { return .event(.revoked) }
    if name.hasAny(UsualWords.plainGranted) { return .event(.granted) }
    guard isNoSwitch else { return .unknown }
    if name.hasAny(UsualWords.switchDenied) { return .event(.denied) }
    if name.hasAny(UsualWords.revoked) { return .event(.revoked) }
    if name.hasAny(UsualWords.switchGranted) { return .event(.granted) }
    return .unknown
  }
}
