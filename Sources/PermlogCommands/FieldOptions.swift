// The options of a command, made from the fields of its request.

import ArgumentParser
import Permlog

/// An option for each field of a kind of request, except for operands.
///
/// The parser finds options by reflecting a value, and hands over the given values through `Decoder`. So this type
/// shows the parser one wrapper for each field. The field itself reads the texts, so that commands, addresses and forms
/// report the same errors.
struct FieldOptions<Request: FieldedRequest>: ParsableArguments, CustomReflectable {
  /// The given fields, without operands.
  private(set) var given: GivenFields = [:]

  init() {}

  /// Adds the files of users to leave out, and of their keys, to those that no output may replace.
  func protect(in files: inout ProtectedFiles) {
    for path in given[.withoutUsers] ?? [] { files.add(path, "the users who are left out") }
    for path in given[.userKey] ?? [] { files.add(path, "the key of user ids") }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FieldKey.self)
    for description in Self.descriptions {
      let key = FieldKey(description.name)
      switch description.shape {
      case .value:
        given[description.argument] = try container.decode(Option<String?>.self, forKey: key).wrappedValue.map { [$0] }
      case .values:
        let texts = try container.decode(Option<[String]>.self, forKey: key).wrappedValue
        given[description.argument] = texts.isEmpty ? nil : texts
      case .operands: break
      }
    }
  }

  private static var descriptions: [FieldDescription] {
    Request.fields.map(\.description).filter { $0.shape != .operands }
  }

  var customMirror: Mirror {
    Mirror(self, children: Self.descriptions.map { (label: "_" + $0.name, value: Self.wrapper($0)) })
  }

  /// How the parser declares the option of a field.
  private static func wrapper(_ field: FieldDescription) -> Any {
    let name = NameSpecification.customLong(String(field.option.dropFirst(2)))
    var help = ArgumentHelp(stringLiteral: field.help { CommandWords.option($0) })
    help.valueName = field.placeholder
    switch field.shape {
    case .values: return Option<[String]>(wrappedValue: [], name: name, help: help, completion: field.completion)
    case .value, .operands: return Option<String?>(name: name, help: help, completion: field.completion)
    }
  }
}

private struct FieldKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

extension FieldDescription {
  fileprivate var completion: CompletionKind? {
    switch values {
    case .names(.permission): .permissions
    case .names(.experiment): .experiments
    case .names(.variant): .variants
    case .choice(let names), .pair(let names): .list(names)
    case .week: .weeks
    case .file: .file()
    default: nil
    }
  }
}

extension FieldOptions {
  func apply(to request: inout Request, operands: GivenFields = [:]) throws(PermlogError) {
    try request.apply(given.merging(operands) { own, _ in own }) { $0.option }
  }

  /// Throws for an option that has no effect without another one, if the other one is missing.
  func checkCompany(in request: Request) throws(PermlogError) { try request.checkCompany(of: given) { $0.option } }

  func request(operands: GivenFields = [:]) throws(PermlogError) -> Request {
    var request = Request()
    try apply(to: &request, operands: operands)
    try checkCompany(in: request)
    return request
  }
}

// MARK: `permlog questions`: what each command can be asked, for programs that write its arguments

struct QuestionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "questions", abstract: "Print every field that a question can have, as JSON.", shouldDisplay: false)

  enum Format: String, CaseIterable, ExpressibleByArgument { case json }

  @Option(help: "Output format.")
  var format = Format.json

  func run() throws { try Output.result(RequestKind.json) }
}
