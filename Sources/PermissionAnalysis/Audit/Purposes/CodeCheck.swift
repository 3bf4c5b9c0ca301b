// The checks of an app's code and its log: does the log show what the code asks for, and the other way round.

enum CodeCheck {
  /// - Parameter asked: names of permissions that were asked for in the log. If there are none, nothing can be compared.
  static func candidates(_ code: AppCode, _ asked: Set<String>) -> [AuditFinding] {
    let canSee = !asked.isEmpty
    // Names in a log are less precise than calls: `photo_library` may be an app that only adds photos.
    let logged = Set(asked.flatMap(neighbours))
    let notInCode = asked.sorted().filter { permission in
      code.recognised.contains(permission) && !neighbours(permission).contains(where: code.mayAsk)
    }
    let certain = Set(code.calls.filter { !$0.isConditional && $0.permissions.count == 1 }.flatMap(\.permissions))
    let notLogged = certain.sorted().filter { !logged.contains($0) }
    return PurposeCheck.all(
      .notInCode,
      canSee ? notInCode.map { AuditFinding(.notInCode, permission: $0, detail: .code([])) } : [], canSee: canSee)
      + PurposeCheck.all(
        .notLogged,
        canSee
          ? notLogged.map { AuditFinding(.notLogged, permission: $0, detail: .code(code.certain($0))) } : [],
        canSee: canSee)
  }

  /// The permission, and those that have a key with it.
  private static func neighbours(_ permission: String) -> [String] {
    [permission] + UsageKey.all.filter { $0.permissions.contains(permission) }.flatMap(\.permissions)
  }
}
