// Finds the calls of a file that make the system ask for a permission.

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
/// AskingCalls(Array("AVCaptureDevice.requestAccess(for: .video) { _ in }".utf8), .swift, systems: [.iOS]).calls
/// // one, of the permission camera
/// ```
public struct AskingCalls {
  /// In the order of the file.
  public private(set) var calls: [AskingCall] = []
  /// Permissions that the file's other names of Apple's frameworks may ask for.
  public private(set) var mentioned: Set<String> = []

  private let bytes: [UInt8]
  private let tokens: [SourceToken]
  private let language: SourceLanguage
  /// By the name of a variable, the types of `AskingSymbol.receivers` that it has somewhere in the file.
  private var types: [String: Set<String>] = [:]

  /// - Parameters:
  ///   - bytes: of the file; any bytes will do.
  ///   - systems: that the app is built for, for lines like `#if os(iOS)`.
  public init(_ bytes: [UInt8], _ language: SourceLanguage, systems: Set<SourceSystem>) {
    self.bytes = bytes
    self.language = language
    tokens = SourceLexer(bytes, language).tokens
    var conditions = BuildConditions(systems: systems)
    var words: [(index: Int, symbols: [AskingSymbol], isConditional: Bool)] = []
    for (index, token) in tokens.enumerated() {
      switch token.kind {
      case .directive: conditions.read(text(index))
      case .word where (Self.shortestName...Self.longestWord).contains(token.range.count):
        let word = text(index)
        let (symbols, mentions) = (AskingSymbol.byName[word], AskingSymbol.mentions[word])
        guard symbols != nil || mentions != nil else { continue }
        let value = conditions.value
        if value == false { continue }
        mentioned.formUnion(mentions ?? [])
        if let symbols { words.append((index, symbols, value == nil)) }
      default: continue
      }
    }
    guard !words.isEmpty else { return }
    types = variableTypes()
    for word in words {
      for symbol in word.symbols {
        guard let permissions = permissions(of: symbol, at: word.index), !permissions.isEmpty else { continue }
        calls.append(
          AskingCall(symbol.name, line: tokens[word.index].line, permissions, isConditional: word.isConditional))
      }
    }
  }

  private static let shortestName =
    (AskingSymbol.all.map(\.name.utf8.count) + AskingSymbol.mentions.keys.map(\.utf8.count)).min() ?? 0
  private static let longestWord =
    (AskingSymbol.all.map(\.name.utf8.count) + AskingSymbol.mentions.keys.map(\.utf8.count)).max() ?? 0
  private static let longestName = 128
  /// Arguments are looked at up to here.
  private static let mostTokens = 300

  // As it is: a name of the table is ASCII, and any other is not looked for.
  private func text(_ index: Int) -> String {
    String(decoding: bytes[tokens[index].range].prefix(1_024), as: UTF8.self)
  }

  private func isWord(_ index: Int, _ word: StaticString) -> Bool {
    guard tokens.indices.contains(index), tokens[index].kind == .word else { return false }
    let range = tokens[index].range
    return range.count == word.utf8CodeUnitCount
      && range.enumerated().allSatisfy { bytes[$0.element] == word.utf8Start[$0.offset] }
  }

  private func isMark(_ index: Int, _ mark: Unicode.Scalar) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .mark(UInt8(ascii: mark))
  }

  private func isWord(_ index: Int) -> Bool { tokens.indices.contains(index) && tokens[index].kind == .word }

  // MARK: - Is it a call, and of which permission

  /// - Returns: nil if the word is no call of it.
  private func permissions(of symbol: AskingSymbol, at index: Int) -> [String]? {
    switch symbol.form {
    case .method:
      guard language == .swift, isMark(index - 1, "."), isMark(index + 1, "(") || isMark(index + 1, "{") else {
        return nil
      }
      return permissions(of: symbol, arguments(after: index), receivers: words(before: index - 1))
    case .message:
      guard language == .objectiveC, isMark(index + 1, ":") || isMark(index + 1, "]"), !isDeclaration(index) else {
        return nil
      }
      return permissions(of: symbol, message(from: index), receivers: receiver(before: index))
    case .function:
      guard isMark(index + 1, "("), !isWord(index - 1, "func"), !isMark(index - 1, "."), !isDeclaration(index) else {
        return nil
      }
      return symbol.permissions
    case .type:
      if language == .swift {
        if isMark(index + 1, "."), isWord(index + 2, "init"), isMark(index + 3, "(") {
          return permissions(of: symbol, arguments(after: index + 2), receivers: [])
        }
        guard isMark(index + 1, "("), !isWord(index - 1, "func"), !isWord(index - 1, "case") else { return nil }
        return permissions(of: symbol, arguments(after: index), receivers: [])
      }
      guard isMark(index - 1, "["), isWord(index + 1, "alloc") || isWord(index + 1, "new") else { return nil }
      return symbol.permissions
    }
  }

  private func permissions(of symbol: AskingSymbol, _ arguments: [Argument], receivers: [String]) -> [String]? {
    let argument = symbol.label.map { label in arguments.first { $0.label == label } } ?? arguments.first
    let chosen = symbol.byWord.filter { argument?.words.contains($0.word) ?? false }.map(\.permission)
    if !symbol.receivers.isEmpty {
      let known = receivers.flatMap { AskingSymbol.receivers.contains($0) ? [$0] : Array(types[$0] ?? []) }
      let isNamed = known.contains { symbol.receivers.contains($0) }
      // The label shows it, if the receiver does not show another type.
      let isTold = known.isEmpty && argument != nil && symbol.label.map(Self.tellingLabels.contains) ?? false
      guard isNamed || isTold && (symbol.byWord.isEmpty || !chosen.isEmpty) else { return nil }
    }
    guard let argument else { return symbol.label == nil || !symbol.byWord.isEmpty ? symbol.permissions : nil }
    // Health data of no kind is not asked for.
    if symbol.label != nil, symbol.byWord.isEmpty, argument.isNothing { return [] }
    // What asks for nothing has an empty name.
    return chosen.isEmpty ? symbol.permissions : Array(Set(chosen)).sorted().filter { !$0.isEmpty }
  }

  /// Labels of one method of Apple alone, by which it is recognised if the type of its receiver is in another file.
  private static let tellingLabels: Set<String> = ["toShare", "read", "options", "to"]

  /// Whether an Objective-C line declares or defines a method, or a C function.
  private func isDeclaration(_ index: Int) -> Bool {
    var first = index
    while first > 0, index - first < Self.mostTokens, tokens[first - 1].line == tokens[index].line { first -= 1 }
    return language == .objectiveC && (isMark(first, "-") || isMark(first, "+") || isWord(first, "extern"))
  }

  // MARK: - Arguments

  private struct Argument {
    var label: String?
    var words: Set<String> = []
    /// Its first two tokens, as far as they are marks or words.
    var start = ""

    /// `nil`, `[]`, `Set()`.
    var isNothing: Bool { ["nil", "[]", "Set()"].contains(start) }
  }

  /// Of a call of Swift. A closure after it is none of them.
  private func arguments(after index: Int) -> [Argument] {
    guard isMark(index + 1, "(") else { return [] }
    var found: [Argument] = []
    var current = Argument()
    var isEmpty = true
    var depth = 0
    var braces = 0
    for next in (index + 2)..<max(index + 2, min(tokens.count, index + 2 + Self.mostTokens)) {
      switch tokens[next].kind {
      case .mark(UInt8(ascii: ")")) where depth == 0:
        return isEmpty ? found : found + [current]
      case .mark(UInt8(ascii: ",")) where depth == 0:
        found.append(current)
        (current, isEmpty) = (Argument(), true)
        continue
      case .mark(UInt8(ascii: ":"))
      where depth == 0 && current.label == nil && current.words.count == 1 && isWord(next - 1):
        current = Argument(label: text(next - 1))
        continue
      case .mark(let mark):
        if "([{".utf8.contains(mark) { depth += 1 }
        if ")]}".utf8.contains(mark) { depth -= 1 }
        if mark == UInt8(ascii: "{") { braces += 1 }
        if mark == UInt8(ascii: "}") { braces -= 1 }
        if current.start.utf8.count < 8 { current.start.unicodeScalars.append(Unicode.Scalar(mark)) }
      case .word:
        let word = text(next)
        // What a closure does is no argument.
        if braces == 0 { current.words.insert(word) }
        if current.start.utf8.count < 8 { current.start += word }
      case .text, .directive: current.start += "\""
      }
      isEmpty = false
    }
    return found + [current]
  }

  /// The arguments of a message of Objective-C, from its first part on: `[store requestAccessForEntityType:a completion:b]`.
  private func message(from index: Int) -> [Argument] {
    var found: [Argument] = []
    var depth = 0
    for next in index..<min(tokens.count, index + Self.mostTokens) {
      switch tokens[next].kind {
      case .mark(let mark):
        if mark == UInt8(ascii: "]"), depth == 0 { return found }
        if "([{".utf8.contains(mark) { depth += 1 }
        if ")]}".utf8.contains(mark) { depth -= 1 }
      case .word where depth == 0:
        if isMark(next + 1, ":") {
          found.append(Argument(label: text(next)))
        } else if !found.isEmpty {
          let word = text(next)
          found[found.count - 1].words.insert(word)
          found[found.count - 1].start += word
        }
      default: continue
      }
    }
    return found
  }

  // MARK: - Receivers

  /// The names before a dot of Swift, with those of calls: `UNUserNotificationCenter.current().` has two.
  private func words(before dot: Int) -> [String] {
    var names: [String] = []
    var index = dot - 1
    while index >= 0, names.count < 8 {
      if isMark(index, "?") || isMark(index, "!") { index -= 1 }
      if isMark(index, ")"), let open = opening(of: index) { index = open - 1 }
      guard isWord(index) else { break }
      names.append(text(index))
      index -= 1
      guard isMark(index, ".") else { break }
      index -= 1
    }
    return names
  }

  private func opening(of close: Int) -> Int? {
    var depth = 0
    for index in stride(from: close, through: max(0, close - Self.mostTokens), by: -1) {
      if isMark(index, ")") { depth += 1 }
      if isMark(index, "(") { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  /// The words of the receiver of a message: `[PHPhotoLibrary requestAuthorization:…]`, `[[UNUserNotificationCenter current…] …]`.
  private func receiver(before index: Int) -> [String] {
    var names: [String] = []
    var depth = 0
    for next in stride(from: index - 1, through: max(0, index - 64), by: -1) {
      if isMark(next, "]") { depth += 1 }
      if isMark(next, "[") {
        if depth == 0 { break }
        depth -= 1
      }
      if isWord(next) { names.append(text(next)) }
    }
    return names
  }

  /// Variables with a type, as in `let store = HKHealthStore()`, `var store: HKHealthStore?`, `HKHealthStore *store`.
  private func variableTypes() -> [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    for index in tokens.indices where isWord(index) && tokens[index].range.count <= Self.longestName {
      let type = text(index)
      guard AskingSymbol.receivers.contains(type) else { continue }
      if language == .objectiveC {
        if isMark(index + 1, "*"), isWord(index + 2) { found[text(index + 2), default: []].insert(type) }
      } else if isMark(index - 1, "=") || isMark(index - 1, ":"), isWord(index - 2) {
        found[text(index - 2), default: []].insert(type)
      }
    }
    return found
  }
}
