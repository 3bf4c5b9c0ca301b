// What requests can ask for, field by field. Each field is declared once: the command's options with their help, saved questions, what differs
// between two of them, addresses of pages and the list that other languages read are made from it.

import PermissionAnalysis
import PermissionEvents

/// A field as those see it who take a request from outside: a command line, an address, a form, another language.
public struct FieldDescription: Sendable {
  /// How often a field is given.
  public enum Shape: String, Sendable {
    /// With one text.
    case value
    /// Any number of times, each with a text.
    case values
    /// Before or after the other fields, without a name.
    case operands
  }

  /// What the texts of a field are.
  public enum Values: Sendable, Hashable {
    case text, number, duration, moment, date, week, zone, file, condition
    /// Names that a log has.
    case names(StringField)
    /// One of these; a list of them, joined by commas, if it says so.
    case choice([String])
  }

  /// The field's name.
  public let argument: PermlogError.Argument
  public let shape: Shape
  public let values: Values
  /// What a text of it is called in a help text, like `date`.
  public let placeholder: String
  /// What it does, in a sentence or two; names of other fields stand in backquotes.
  public let help: String
  /// Whether counts depend on it; what they do not depend on is chosen when sums are read.
  public let isCounted: Bool

  /// Its name in addresses and in Python, like `by_limit`.
  public var name: String { argument.rawValue }

  /// The help with the names of fields as the reader knows them.
  /// - Parameter naming: from the field's name to that.
  public func help(naming: (String) -> String) -> String {
    help.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { place, part in
      place % 2 == 1 ? naming(String(part)) : String(part)
    }.joined()
  }
}

/// What was given from outside: the texts of each field, in their order.
public typealias GivenFields = [PermlogError.Argument: [String]]

/// One field of a kind of request.
public struct RequestField<Request: FieldedRequest>: Sendable {
  public let description: FieldDescription
  /// What it is in a saved question; nil if counts do not depend on it.
  let counted: CountedField<Request>?
  /// Puts what was given into a request.
  let apply: @Sendable (inout Request, [String]) throws(PermlogError) -> Void
  /// The texts that give what a request has: none if it has nothing.
  let texts: @Sendable (Request) -> [String]

  public var argument: PermlogError.Argument { description.argument }
}

/// A field that counts depend on, as a saved question has it.
struct CountedField<Request>: Sendable {
  let key: QuestionKey
  /// How sentences call it.
  let noun: String
  /// The order in which its values were given says nothing, and how often each was neither.
  let ignoresOrder: Bool
  let saved: @Sendable (Request) -> SavedValue?
  let read: @Sendable (inout Request, inout PlanFields) throws(PermlogError) -> Void
  /// Takes the value of another request; dates become moments of a zone.
  let copy: @Sendable (Request, inout Request, ZoneTable) throws(PermlogError) -> Void
}

/// A request whose fields are listed.
public protocol FieldedRequest: Sendable {
  /// With nothing given.
  init()
  var scope: QuestionScope { get set }
  /// In the order in which help texts have them.
  static var fields: [RequestField<Self>] { get }
  /// Which fields do not go together.
  static var rules: [FieldRule] { get }
}

/// Which fields go with which.
public enum FieldRule: Sendable {
  /// Not the first together with any of the others.
  case not(PermlogError.Argument, with: [PermlogError.Argument])
  /// The first says something only if the second is given.
  case only(PermlogError.Argument, with: PermlogError.Argument)
}

extension RequestField {
  /// A field whose value is kept in one place of the request.
  /// - Parameters:
  ///   - noun: how sentences about differences call it; nil if counts do not depend on it.
  ///   - key: in a saved question.
  ///   - isCounted: counts depend on it, though it has no key of its own.
  init<Value: Sendable>(
    _ argument: PermlogError.Argument, _ path: WritableKeyPath<Request, Value> & Sendable, _ codec: FieldCodec<Value>,
    _ placeholder: String, counted key: QuestionKey? = nil, as noun: String = "", isCounted: Bool = false,
    _ help: String
  ) {
    description = FieldDescription(
      argument: argument, shape: codec.shape, values: codec.values, placeholder: placeholder, help: help,
      isCounted: isCounted || key != nil)
    apply = { request, texts throws(PermlogError) in request[keyPath: path] = try codec.parse(texts) }
    texts = { codec.texts($0[keyPath: path]) }
    guard let key, let saved = codec.saved else {
      counted = nil
      return
    }
    counted = CountedField(
      key: key, noun: noun, ignoresOrder: codec.ignoresOrder,
      saved: { saved.value($0[keyPath: path]) },
      read: { request, fields throws(PermlogError) in
        request[keyPath: path] = try saved.read(&fields, key.rawValue)
      },
      copy: { from, to, zone throws(PermlogError) in to[keyPath: path] = try saved.fixed(from[keyPath: path], zone) })
  }

  /// A field that stands for others: counts depend on those.
  init(
    _ argument: PermlogError.Argument, _ values: FieldDescription.Values, _ placeholder: String, _ help: String,
    isCounted: Bool = false, apply: @escaping @Sendable (inout Request, String) throws(PermlogError) -> Void,
    text: @escaping @Sendable (Request) -> String? = { _ in nil }
  ) {
    description = FieldDescription(
      argument: argument, shape: .value, values: values, placeholder: placeholder, help: help, isCounted: isCounted)
    counted = nil
    self.apply = { request, texts throws(PermlogError) in try apply(&request, texts.last ?? "") }
    texts = { text($0).map { [$0] } ?? [] }
  }
}

extension RequestField {
  /// One list of several.
  static func list(_ parts: [Self]...) -> [Self] { Array(parts.joined()) }
}

// MARK: What was given

extension FieldedRequest {
  public static var rules: [FieldRule] { [] }

  /// Puts what was given over what the request has.
  /// - Parameter naming: how a field is called by whoever gave it, for sentences.
  /// - Throws: `usage`, naming the field: for a text that is none of its, a field that this kind of request does not have, and fields that
  ///   do not go together.
  public mutating func apply(
    _ given: GivenFields, naming: (PermlogError.Argument) -> String = { "`\($0.rawValue)`" }
  ) throws(PermlogError) {
    if let other = given.keys.filter({ name in !Self.fields.contains { $0.argument == name } }).map(\.rawValue).min() {
      throw PermlogError(.usage, "there is no field \(other) here")
    }
    for case .not(let one, let others) in Self.rules
    where given[one] != nil && others.contains(where: { given[$0] != nil }) {
      throw PermlogError(
        .usage, "\(naming(one)) cannot be combined with \(others.map(naming).joined(separator: " and "))")
    }
    for field in Self.fields {
      guard let texts = given[field.argument] else { continue }
      if texts.count > 1, field.description.shape == .value {
        throw PermlogError(.usage, "it takes one value, and \(texts.count) are given", argument: field.argument)
      }
      try PermlogError.naming(field.argument) { () throws(PermlogError) in try field.apply(&self, texts) }
    }
    for case .only(let one, let other) in Self.rules where given[one] != nil {
      guard Self.fields.contains(where: { $0.argument == other && !$0.texts(self).isEmpty }) else {
        throw PermlogError(.usage, "\(naming(one)) goes with \(naming(other))")
      }
    }
  }

  /// What gives this request over one in which nothing was given.
  public var given: GivenFields {
    let nothing = Self()
    var given: GivenFields = [:]
    for field in Self.fields {
      let texts = field.texts(self)
      if texts != field.texts(nothing), !texts.isEmpty { given[field.argument] = texts }
    }
    return given
  }
}
