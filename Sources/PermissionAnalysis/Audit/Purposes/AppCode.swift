// What an app's code asks for, as far as an audit looks at it.

/// The calls in an app's code that make the system ask.
public struct AppCode: Sendable, Hashable {
  /// A call of Apple's frameworks.
  public struct Call: Sendable, Hashable {
    /// The name that is called, like `requestAccess`.
    public var symbol: String
    public var file: String
    /// From 1.
    public var line: Int
    /// What it asks for. Several if it depends on what the code does not show, like a variable.
    public var permissions: [String]
    /// Whether the app has it only if the project defines some name, as in `#if FEATURE`.
    public var isConditional: Bool

    public init(_ symbol: String, in file: String, line: Int, _ permissions: [String], isConditional: Bool = false) {
      (self.symbol, self.file, self.line) = (symbol, file, line)
      (self.permissions, self.isConditional) = (permissions, isConditional)
    }
  }

  /// The folders, as they were named.
  public var folders: [String]
  /// Paths of all files that were looked at.
  public var paths: [String] = []
  /// The number of files that were read.
  public var files = 0
  /// In the order of files and lines.
  public var calls: [Call] = []
  /// Names of frameworks that an app hardly uses without asking. Whether the system asks is not certain.
  public var uses: [Call] = []
  /// Folders and files that were left out, such as libraries and tests.
  public var leftOut: [String] = []
  /// Files that are too large, or have a text without an end: they may have calls.
  public var unread: [String] = []
  /// Permissions that the code may ask for without a call for it, because it has other names of Apple's frameworks.
  public var mentioned: Set<String> = []
  /// Permissions whose calls are recognised.
  public var recognised: Set<String> = []

  public init(folders: [String]) { self.folders = folders }

  /// Calls that ask for this permission and for nothing else, and are in the app for certain.
  func certain(_ permission: String) -> [Call] { calls.filter { !$0.isConditional && $0.permissions == [permission] } }

  /// Whether something in it may ask for the permission.
  func mayAsk(for permission: String) -> Bool {
    mentioned.contains(permission) || calls.contains { $0.permissions.contains(permission) }
  }

  /// Calls of which the code does not show what they ask for.
  public var unclear: [Call] { calls.filter { $0.permissions.count > 1 } }
}

// MARK: Code and log: does the log show what the code asks for, and the other way round

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
