// The fields of requests. Each field is declared once. Made from it are the command's options with their help, saved
// questions, the differences between two questions, addresses of pages, and the list for other languages.

import PermissionAnalysis
import PermissionEvents
import ReportRendering

/// A field as it looks from outside: to a command line, an address, a form or another language.
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

  /// The kind of a field's texts.
  public enum Values: Sendable, Hashable {
    case text, number, duration, moment, date, week, zone, file, condition
    /// One of these names, the separator, and a number.
    case pair([String])
    /// Names that a log has.
    case names(StringField)
    /// One of these, or several with the separator between them.
    case choice([String])
  }

  public let argument: PermlogError.Argument
  public let shape: Shape
  public let values: Values
  /// The separator between the parts of a text; nil if a text has one part.
  public let separator: String?
  /// The name of a text in a help text, like `date`.
  public let placeholder: String
  /// The help text, a sentence or two; names of other fields are in backquotes.
  public let help: String
  /// Whether counts depend on the field; otherwise its value is chosen when sums are read. Nil if it is given where
  /// sums are made, and is no part of a question.
  public let isCounted: Bool?

  /// Its name in addresses and in Python, like `by_limit`.
  public var name: String { argument.rawValue }

  /// The help with the names of fields as the reader knows them.
  /// - Parameter naming: from the field's name to that.
  public func help(naming: (String) -> String) -> String {
    guard help.utf8.contains(UInt8(ascii: "`")) else { return help }
    return help.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
      index % 2 == 1 ? naming(String(part)) : String(part)
    }.joined()
  }
}

/// The texts of each field as they were given from outside, in their order.
public typealias GivenFields = [PermlogError.Argument: [String]]

public struct RequestField<Request: FieldedRequest>: Sendable {
  public let description: FieldDescription
  /// The field in a saved question; nil if counts do not depend on it.
  let counted: CountedField<Request>?
  /// Sets the field in a request from the given texts.
  let apply: @Sendable (inout Request, [String]) throws(PermlogError) -> Void
  /// The texts that give the value of a request; empty for no value.
  let texts: @Sendable (Request) -> [String]

  public var argument: PermlogError.Argument { description.argument }
}

/// A field that counts depend on, as a saved question has it.
struct CountedField<Request>: Sendable {
  let key: QuestionKey
  /// The field's name in sentences.
  let noun: String
  /// Whether the order and the repetition of its values have no meaning.
  let ignoresOrder: Bool
  let saved: @Sendable (Request) -> SavedValue?
  let read: @Sendable (inout Request, inout PlanFields) throws(PermlogError) -> Void
  /// Copies the value from another request; dates become moments of a zone.
  let copy: @Sendable (Request, inout Request, ZoneTable) throws(PermlogError) -> Void
}

/// A request with a list of its fields.
public protocol FieldedRequest: Sendable {
  init()
  var scope: QuestionScope { get set }
  /// In the order in which help texts have them.
  static var fields: [RequestField<Self>] { get }
  /// The fields that cannot be combined.
  static var rules: [FieldRule] { get }
}

public enum FieldRule: Sendable {
  /// The first cannot be combined with any of the others.
  case not(PermlogError.Argument, with: [PermlogError.Argument])
  /// The first has an effect only if the second is given.
  case only(PermlogError.Argument, with: PermlogError.Argument)
}

extension RequestField {
  /// A field whose value is one property of the request.
  /// - Parameters:
  ///   - noun: the field's name in sentences about differences; nil if counts do not depend on it.
  ///   - key: the key in a saved question.
  ///   - isCounted: counts depend on the field, though it has no key of its own.
  init<Value: Sendable>(
    _ argument: PermlogError.Argument, _ path: WritableKeyPath<Request, Value> & Sendable, _ codec: FieldCodec<Value>,
    _ placeholder: String, counted key: QuestionKey? = nil, as noun: String = "", isCounted: Bool? = false,
    _ help: String
  ) {
    description = FieldDescription(
      argument: argument, shape: codec.shape, values: codec.values, separator: codec.separator,
      placeholder: placeholder, help: help,
      isCounted: key != nil ? true : isCounted)
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

  /// A field that sets other fields: counts depend on those.
  init(
    _ argument: PermlogError.Argument, _ values: FieldDescription.Values, _ placeholder: String, _ help: String,
    isCounted: Bool = false, apply: @escaping @Sendable (inout Request, String) throws(PermlogError) -> Void,
    text: @escaping @Sendable (Request) -> String? = { _ in nil }
  ) {
    description = FieldDescription(
      argument: argument, shape: .value, values: values, separator: nil, placeholder: placeholder, help: help,
      isCounted: isCounted)
    counted = nil
    self.apply = { request, texts throws(PermlogError) in try apply(&request, texts.last ?? "") }
    texts = { text($0).map { [$0] } ?? [] }
  }

  static func list(_ parts: [Self]...) -> [Self] { Array(parts.joined()) }
}

// MARK: Given fields

extension FieldedRequest {
  public typealias Field = RequestField<Self>

  public static var rules: [FieldRule] { [.keyWithUsers] }

  /// Sets the given fields in the request. ``checkCompany(of:naming:)`` checks which fields need each other.
  /// - Parameter naming: the name of a field in sentences.
  /// - Throws: `usage`, with the name of the field: for a wrong text, for a field that this kind of request does not
  ///   have, and for fields that cannot be combined.
  public mutating func apply(
    _ given: GivenFields, naming: (PermlogError.Argument) -> String = { "`\($0.rawValue)`" }
  ) throws(PermlogError) {
    if let other = given.keys.filter({ name in !Self.fields.contains { $0.argument == name } }).map(\.rawValue).min() {
      throw .usage("there is no field \(other) here")
    }
    for case .not(let one, let others) in Self.rules
    where given[one] != nil && others.contains(where: { given[$0] != nil }) {
      throw .usage(
        "\(naming(one)) cannot be combined with \(others.filter { given[$0] != nil }.map(naming).joined(separator: " and "))"
      )
    }
    for field in Self.fields {
      guard let texts = given[field.argument], !texts.isEmpty else { continue }
      try PermlogError.naming(field.argument) { () throws(PermlogError) in
        if texts.count > 1, field.description.shape == .value {
          throw .usage("it can have only one value, but \(texts.count) are given")
        }
        // Operands have no name for the sentence: the request itself checks them.
        if field.description.shape != .operands, texts.contains("") { throw .usage("the value is empty") }
        try field.apply(&self, texts)
      }
    }
  }

  /// Throws for a field that has no effect without another one, if the request does not have the other one.
  public func checkCompany(
    of given: GivenFields, naming: (PermlogError.Argument) -> String = { "`\($0.rawValue)`" }
  ) throws(PermlogError) {
    for case .only(let one, let other) in Self.rules where given[one] != nil {
      guard Self.fields.contains(where: { $0.argument == other && !$0.texts(self).isEmpty }) else {
        throw .usage("\(naming(one)) goes with \(naming(other))")
      }
    }
  }

  /// The fields that give this request, starting from an empty one.
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

// MARK: All kinds of requests with their fields, for callers in other languages; and requests as the query of an address

public struct RequestKind: Sendable {
  public let name: String
  /// In the order in which help texts have them.
  public let fields: [FieldDescription]
  /// The fields that cannot be combined.
  public let rules: [FieldRule]
  private let hasSums: Bool

  public static let all = [
    RequestKind("report", ReportRequest.self), RequestKind("compare", ComparisonRequest.self),
    RequestKind("flow", FlowRequest.self), RequestKind("audit", AuditRequest.self),
    RequestKind("experiments", ExperimentsRequest.self), RequestKind("journeys", JourneyRequest.self),
    RequestKind("plan", PlanRequest.self),
  ]

  private init<Request: FieldedRequest>(_ name: String, _ request: Request.Type) {
    (self.name, fields, rules) = (name, Request.fields.map(\.description), Request.rules)
    hasSums = request is any CountedRequest.Type
  }

  /// The list as JSON (docs/schemas/questions-1.json).
  public static var json: [UInt8] {
    JSONWriter.document(
      [
        "schema": "permlog.questions/1",
        "questions": all.map { kind in
          [
            "name": kind.name, "fields": kind.fields.map { $0.members(hasSums: kind.hasSums) },
            "rules": kind.rules.map(\.members),
          ] as JSONMembers
        },
      ] as JSONMembers)
  }
}

extension FieldDescription {
  fileprivate func members(hasSums: Bool) -> JSONMembers {
    let (kind, of, choices): (String, String?, [String]?) =
      switch values {
      case .pair(let names): ("pair", nil, names)
      case .names(let field): ("name", field.name, nil)
      case .choice(let names): ("choice", nil, names)
      case .text: ("text", nil, nil)
      case .number: ("number", nil, nil)
      case .duration: ("duration", nil, nil)
      case .moment: ("moment", nil, nil)
      case .date: ("date", nil, nil)
      case .week: ("week", nil, nil)
      case .zone: ("zone", nil, nil)
      case .file: ("file", nil, nil)
      case .condition: ("condition", nil, nil)
      }
    return [
      "name": name, "shape": shape.rawValue, "values": kind, "of": of, "choices": choices, "separator": separator,
      "placeholder": placeholder,
      "counted": hasSums ? isCounted : nil as Bool?, "help": help { $0 },
    ]
  }
}

extension FieldRule {
  fileprivate var members: JSONMembers {
    switch self {
    case .not(let one, let others):
      ["field": one.rawValue, "not_with": others.map(\.rawValue), "only_with": String?.none]
    case .only(let one, let other): ["field": one.rawValue, "not_with": [String](), "only_with": other.rawValue]
    }
  }
}

// MARK: Addresses

extension FieldedRequest {
  /// The request as the query of an address, like `permission=camera&where=country%3DDE`: the given fields in their
  /// order. It has no files: neither Info.plists nor a plan. A step whose name has a comma becomes two steps.
  public var query: String {
    let given = given
    return Self.fields.flatMap { field in
      (given[field.argument] ?? []).map { field.description.name + "=" + QueryText.encoded($0) }
    }.joined(separator: "&")
  }

  /// The request of a query. If a name occurs several times, it has several texts. A space may be written as `+`.
  /// - Throws: `usage` as ``apply(_:naming:)``, and for a text that is not a query.
  public init(query: String) throws(PermlogError) {
    var given: GivenFields = [:]
    for part in query.utf8.split(separator: UInt8(ascii: "&")) {
      let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = QueryText.decoded(pair[0]),
        let text = QueryText.decoded(pair.count > 1 ? pair[1] : pair[0][..<pair[0].startIndex])
      else {
        throw .usage(
          "\(Substring(part)) is not a part of a query: a `%` must be followed by two hexadecimal digits, and texts must be UTF-8"
        )
      }
      given[PermlogError.Argument(rawValue: name), default: []].append(text)
    }
    // An address must not open files of the machine.
    let files = Self.fields.filter { $0.description.values == .file && given[$0.argument] != nil }
    if let file = files.first { throw .usage("a query cannot name files", file.argument) }
    self.init()
    try apply(given)
    try checkCompany(of: given)
  }
}

private enum QueryText {
  private static let plain = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~,:/".utf8)

  /// Letters, digits and a few signs as they are; other bytes as `%` and two digits.
  static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      if plain.contains(byte) { return String(Unicode.Scalar(byte)) }
      return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  /// Nil for bytes that are not UTF-8.
  static func decoded(_ text: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(boundedExactly: bytes)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}
