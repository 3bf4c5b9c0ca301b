// Finds the calls of a file that make the system ask for a permission. What is not certain is no call: names of frameworks are noted
// apart, as what may ask.

/// A call that makes the system ask.
public struct AskingCall: Sendable, Hashable {
  /// The name that is called.
  public var symbol: String
  /// From 1.
  public var line: Int
  /// What it asks for. Several if it depends on what the code does not show, like a variable.
  public var permissions: [String]
  /// Whether the app has it only if the project defines some name, as in `#if FEATURE`.
  public var isConditional: Bool

  public init(_ symbol: String, line: Int, _ permissions: [String], isConditional: Bool = false) {
    (self.symbol, self.line, self.permissions, self.isConditional) = (symbol, line, permissions, isConditional)
  }
}

/// The calls of one file.
///
/// For example:
///
/// ```swift
/// let code = "import AVFoundation\nAVCaptureDevice.requestAccess(for: .video) { _ in }"
/// AskingCalls(Array(code.utf8), .swift, systems: [.iOS]).calls  // one, of the permission camera
/// ```
public struct AskingCalls {
  /// In the order of the file.
  public private(set) var calls: [AskingCall] = []
  /// Names of frameworks that an app hardly uses without asking, each in its first line. Whether they ask is not certain.
  public private(set) var uses: [AskingCall] = []
  /// Permissions that the file's other names of Apple's frameworks may ask for.
  public private(set) var mentioned: Set<String> = []
  /// Modules that the file imports, in small letters.
  public private(set) var imports: Set<String>
  /// False if a text in it has no end: then calls may have been taken for text.
  public let isWhole: Bool

  private let code: SourceTokens
  /// By the name of a variable, the types that it has somewhere in the file.
  private var types: [String: Set<String>] = [:]
  /// Types that the file declares itself: they are none of Apple's.
  private var ownTypes: Set<String> = []

  /// - Parameters:
  ///   - bytes: of the file; any bytes will do.
  ///   - systems: that the app is built for, for lines like `#if os(iOS)`.
  ///   - imports: of the header of an Objective-C file.
  public init(
    _ bytes: [UInt8], _ language: SourceLanguage, systems: Set<SourceSystem>, imports: Set<String> = []
  ) {
    let lexer = SourceLexer(bytes, language)
    code = SourceTokens(bytes, lexer.tokens, language)
    isWhole = !lexer.isTorn
    self.imports = imports
    var conditions = BuildConditions(systems: systems)
    var words: [(index: Int, symbols: [AskingSymbol], isConditional: Bool)] = []
    for index in code.indices {
      switch code.kind(index) {
      case .directive: conditions.read(code.text(index))
      case .word:
        if code.isWord(index, "import") || code.isWord(index, "include") { addImport(index) }
        guard (Self.shortestName...Self.longestWord).contains(code.length(index)) else { continue }
        let word = code.text(index)
        let (symbols, mentions) = (AskingSymbol.byName[word], AskingSymbol.mentions[word])
        guard symbols != nil || mentions != nil else { continue }
        let value = conditions.value
        if value == false { continue }
        mentioned.formUnion(mentions ?? [])
        if let permissions = AskingSymbol.uses[word], !uses.contains(where: { $0.symbol == word }) {
          uses.append(AskingCall(word, line: code.line(index), permissions, isConditional: value == nil))
        }
        if let symbols { words.append((index, symbols, value == nil)) }
      default: continue
      }
    }
    guard !words.isEmpty else { return }
    findTypes()
    for word in words {
      for symbol in word.symbols {
        guard let permissions = permissions(of: symbol, at: word.index) else {
          // A wrapper is often called like what it calls.
          if symbol.receivers.isEmpty { mentioned.formUnion(symbol.allPermissions) }
          continue
        }
        // What has the name of a call, and is perhaps none, may ask.
        guard isOfApple(symbol, at: word.index), !permissions.isEmpty else {
          mentioned.formUnion(permissions.isEmpty ? [] : symbol.allPermissions)
          continue
        }
        calls.append(
          AskingCall(symbol.name, line: code.line(word.index), permissions, isConditional: word.isConditional))
      }
    }
  }

  private static let shortestName =
    (AskingSymbol.all.map(\.name.utf8.count) + AskingSymbol.mentions.keys.map(\.utf8.count)).min() ?? 0
  private static let longestWord =
    (AskingSymbol.all.map(\.name.utf8.count) + AskingSymbol.mentions.keys.map(\.utf8.count)).max() ?? 0

  /// `import AVFoundation`, `import class AVFoundation.X`, `@import AVFoundation;`, `#import <AVFoundation/X.h>`.
  private mutating func addImport(_ index: Int) {
    var next = code.isMark(index + 1, "<") ? index + 2 : index + 1
    if ["class", "struct", "func", "enum", "protocol"].contains(where: { code.isWord(next, $0) }) { next += 1 }
    if code.isWord(next), code.line(next) == code.line(index) { imports.insert(code.text(next).lowercased()) }
  }

  /// Whether it is Apple's for certain: the file imports its framework, or names a type that can only be Apple's. Else the name may be
  /// of anything, or of a call that another file's import lets it make.
  private func isOfApple(_ symbol: AskingSymbol, at index: Int) -> Bool {
    let own = symbol.form == .type ? [symbol.name] : symbol.receivers
    guard ownTypes.isDisjoint(with: own) else { return false }
    let modules = symbol.modules
    if modules.isEmpty || modules.contains(where: imports.contains) { return true }
    if symbol.form == .type { return AskingSymbol.isOfApple(symbol.name) }
    let names = symbol.form == .method ? code.names(before: index - 1) : code.receiver(before: index)
    return names.contains { (symbol.receivers + symbol.owners).contains($0) && AskingSymbol.isOfApple($0) }
  }

  // MARK: - Is it a call, and of which permission

  /// - Returns: nil if the word is no call of it; empty if it asks for nothing.
  private func permissions(of symbol: AskingSymbol, at index: Int) -> [String]? {
    switch symbol.form {
    case .method:
      guard code.language == .swift, code.isMark(index - 1, "."), code.isValue(index - 2) else { return nil }
      guard code.isMark(index + 1, "(") || symbol.takesClosure && code.isClosure(after: index) else { return nil }
      return permissions(of: symbol, code.arguments(after: index), receivers: code.names(before: index - 1))
    case .message:
      guard code.language == .objectiveC, code.isMark(index + 1, ":") || code.isMark(index + 1, "]"),
        !code.isDeclaration(index), !code.isSelector(index)
      else { return nil }
      return permissions(of: symbol, code.message(from: index), receivers: code.receiver(before: index))
    case .function:
      guard code.isMark(index + 1, "("), !code.isWord(index - 1, "func"), !code.isMark(index - 1, "."),
        !code.isDeclaration(index)
      else { return nil }
      return symbol.permissions
    case .type:
      guard let arguments = code.creation(index) else { return nil }
      return permissions(of: symbol, arguments, receivers: [])
    }
  }

  private func permissions(of symbol: AskingSymbol, _ arguments: [SourceArgument], receivers: [String]) -> [String]? {
    if let unless = symbol.unless, arguments.contains(where: { $0.label == unless }) { return nil }
    let argument = symbol.label.map { label in arguments.first { $0.label == label } } ?? arguments.first
    if symbol.label != nil, argument == nil { return nil }
    let chosen = symbol.byWord.filter { argument?.words.contains($0.word) ?? false }.map(\.permission)
    if !symbol.receivers.isEmpty {
      let known = receivers.flatMap { AskingSymbol.receivers.contains($0) ? [$0] : Array(types[$0] ?? []) }
      let isNamed = !known.isEmpty && known.allSatisfy(symbol.receivers.contains)
      // Labels show it, if the receiver does not show another type.
      let isTold = known.isEmpty && Self.isTold(symbol, by: arguments, chosen)
      guard isNamed || isTold else { return nil }
    }
    if let argument, Self.labelsOfKinds.contains(symbol.label ?? "") { return kinds(argument, of: arguments, symbol) }
    // What asks for nothing has an empty name.
    return chosen.isEmpty ? symbol.permissions : Array(Set(chosen)).sorted().filter { !$0.isEmpty }
  }

  /// Labels of one method of Apple alone, by which it is recognised if the type of its receiver is in another file.
  private static func isTold(_ symbol: AskingSymbol, by arguments: [SourceArgument], _ chosen: [String]) -> Bool {
    let labels = arguments.compactMap(\.label)
    return switch symbol.label {
    case "toShare", "read": labels.contains("toShare") && labels.contains("read")
    case "options": labels.first == "options"
    case "to": labels.first == "to" && !chosen.isEmpty
    default: false
    }
  }

  /// Labels of sets of kinds of health data, of which each kind is asked for.
  private static let labelsOfKinds = [
    "toShare", "read", "requestAuthorizationToShareTypes", "readTypes", "shareTypes",
  ]

  private func kinds(_ argument: SourceArgument, of arguments: [SourceArgument], _ symbol: AskingSymbol) -> [String] {
    switch argument.kinds {
    case .none: return []
    case .some: return symbol.permissions
    case .unknown:
      // A variable may have none, but one of the two sets has some.
      let others = arguments.filter { $0.label != argument.label && Self.labelsOfKinds.contains($0.label ?? "") }
      return others.allSatisfy { $0.kinds == .none } ? symbol.permissions : ["health_read", "health_write"]
    }
  }

  // MARK: - Types

  /// Variables with a type, as in `let store = HKHealthStore()`, `var store: HKHealthStore?`, `HKHealthStore *store`. One that has
  /// another type elsewhere in the file has both.
  private mutating func findTypes() {
    for index in code.indices where code.isWord(index) {
      if code.isType(index - 1) { ownTypes.insert(code.text(index)) }
      if AskingSymbol.receivers.contains(code.text(index)), let name = code.variable(before: index) {
        types[name, default: []].insert(code.text(index))
      }
    }
    guard !types.isEmpty else { return }
    for index in code.indices where code.isWord(index) && code.beginsWithCapital(index) {
      guard let name = code.variable(before: index), types[name] != nil else { continue }
      types[name]?.insert(code.text(index))
    }
  }
}
