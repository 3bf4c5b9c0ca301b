// All kinds of requests with their fields, for doors that are not written in Swift; and requests as the query of an address.

import PermissionEvents
import ReportRendering

/// A kind of request.
public struct RequestKind: Sendable {
  /// The command's name.
  public let name: String
  /// In the order in which help texts have them.
  public let fields: [FieldDescription]
  /// Which fields do not go together.
  public let rules: [FieldRule]

  public static let all = [
    RequestKind("report", ReportRequest.self), RequestKind("compare", ComparisonRequest.self),
    RequestKind("flow", FlowRequest.self), RequestKind("audit", AuditRequest.self),
    RequestKind("experiments", ExperimentsRequest.self), RequestKind("journeys", JourneyRequest.self),
    RequestKind("plan", PlanRequest.self),
  ]

  private init<Request: FieldedRequest>(_ name: String, _ request: Request.Type) {
    (self.name, fields, rules) = (name, Request.fields.map(\.description), Request.rules)
  }

  /// The list as JSON (docs/schemas/questions-1.json).
  public static var json: [UInt8] {
    JSONWriter.document(
      [
        "schema": "permlog.questions/1",
        "questions": all.map { kind in
          [
            "name": kind.name, "fields": kind.fields.map(\.members), "rules": kind.rules.map(\.members),
          ] as JSONMembers
        },
      ] as JSONMembers)
  }
}

extension FieldDescription {
  fileprivate var members: JSONMembers {
    var (kind, of): (String, String?) = ("\(values)", nil)
    var choices: [String]?
    switch values {
    case .names(let field): (kind, of) = ("name", field.name)
    case .choice(let names): (kind, choices) = ("choice", names)
    default: break
    }
    return [
      "name": name, "shape": shape.rawValue, "values": kind, "of": of, "choices": choices, "placeholder": placeholder,
      "counted": isCounted, "help": help { $0 },
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
  /// The request as the query of an address, like `permission=camera&where=country%3DDE`: what was given, in the order of the fields.
  public var query: String {
    let given = given
    return Self.fields.flatMap { field in
      (given[field.argument] ?? []).map { field.description.name + "=" + QueryText.encoded($0) }
    }.joined(separator: "&")
  }

  /// The request of a query. A name that comes several times has several texts; a blank may be written as `+`.
  /// - Throws: `usage` as ``apply(_:naming:)``, and for what is no query.
  public init(query: String) throws(PermlogError) {
    var given: GivenFields = [:]
    for part in query.utf8.split(separator: UInt8(ascii: "&")) {
      let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = QueryText.decoded(pair[0]),
        let text = QueryText.decoded(pair.count > 1 ? pair[1] : pair[0][..<pair[0].startIndex])
      else {
        throw PermlogError(
          .usage, "\(Substring(part)) is no part of a query: a `%` is followed by two digits, and texts are UTF-8")
      }
      guard let argument = PermlogError.Argument(rawValue: name) else {
        throw PermlogError(.usage, "there is no field \(name) here")
      }
      given[argument, default: []].append(text)
    }
    self.init()
    try apply(given)
  }
}

private enum QueryText {
  /// Letters, digits and a few signs as they are; other bytes as `%` and two digits.
  static func encoded(_ text: String) -> String {
    var out = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "/"):
        out.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        out += byte < 16 ? "%0" + digits : "%" + digits
      }
    }
    return out
  }

  /// Nil for bytes that are no text.
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
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}
