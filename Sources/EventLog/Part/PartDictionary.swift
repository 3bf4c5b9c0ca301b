// The dictionary of a part: string values, and the combinations of them that occur.

import PermissionEvents

/// Values and tuples of a part. Code 0 is the absent value and the empty tuple.
struct PartDictionary: Sendable {
  /// What an event is about, without its feature and status, which have columns of their own.
  struct Context: Hashable, Sendable {
    var permission: UInt32 = 0
    var variant: UInt32 = 0
    var experiment: UInt32 = 0
    var surface: UInt32 = 0
  }

  /// By field (`StringField.rawValue`) and code. Permissions have the taxonomy's codes.
  var values: [[[UInt8]]]
  var contexts: [Context]
  var attributes: [AttributeTuple]

  func value(_ field: StringField, _ code: UInt32) -> [UInt8] { values[field.rawValue][Int(code)] }

  /// An upper bound of the bytes that it takes.
  var weight: Int {
    values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count + 16 } } + contexts.count * 16 + attributes.count * 20
  }
}

/// Collects the dictionary of a part that is being written from the dictionaries of its sources.
/// Used by one thread, before any block is encoded.
struct PartDictionaryBuilder {
  private(set) var dictionary: PartDictionary
  private var codes: [[[UInt8]: UInt32]]
  private var contextCodes: [PartDictionary.Context: UInt32]
  private var attributeCodes: [AttributeTuple: UInt32]

  init() {
    var values: [[[UInt8]]] = StringField.allCases.map { _ in [[]] }
    values[StringField.permission.rawValue] += PermissionCode.taxonomy.map { Array($0.utf8) }
    dictionary = PartDictionary(values: values, contexts: [.init()], attributes: [.init()])
    codes = values.map { list in
      Dictionary(uniqueKeysWithValues: list.enumerated().map { ($0.element, UInt32($0.offset)) })
    }
    contextCodes = [.init(): 0]
    attributeCodes = [.init(): 0]
  }

  mutating func code(_ field: StringField, _ value: [UInt8]) -> UInt32 {
    if let code = codes[field.rawValue][value] { return code }
    let code = UInt32(truncatingIfNeeded: dictionary.values[field.rawValue].count)
    dictionary.values[field.rawValue].append(value)
    codes[field.rawValue][value] = code
    return code
  }

  mutating func code(_ context: PartDictionary.Context) -> UInt32 {
    if let code = contextCodes[context] { return code }
    let code = UInt32(truncatingIfNeeded: dictionary.contexts.count)
    dictionary.contexts.append(context)
    contextCodes[context] = code
    return code
  }

  mutating func code(_ attributes: AttributeTuple) -> UInt32 {
    if let code = attributeCodes[attributes] { return code }
    let code = UInt32(truncatingIfNeeded: dictionary.attributes.count)
    dictionary.attributes.append(attributes)
    attributeCodes[attributes] = code
    return code
  }

  /// Codes here for the codes of a part's dictionary.
  mutating func adopt(_ source: PartDictionary) -> PartRecoding {
    let values = StringField.allCases.map { field in source.values[field.rawValue].map { code(field, $0) } }
    func map(_ field: StringField, _ code: UInt32) -> UInt32 { values[field.rawValue][Int(code)] }
    return PartRecoding(
      contexts: source.contexts.map {
        code(
          .init(
            permission: map(.permission, $0.permission), variant: map(.variant, $0.variant),
            experiment: map(.experiment, $0.experiment), surface: map(.surface, $0.surface)))
      },
      attributes: source.attributes.map {
        code(
          AttributeTuple(
            appVersion: map(.appVersion, $0.appVersion), osVersion: map(.osVersion, $0.osVersion),
            platform: map(.platform, $0.platform), locale: map(.locale, $0.locale), country: map(.country, $0.country)))
      },
      features: values[StringField.feature.rawValue])
  }
}

/// For each code of one part's dictionary the code in another.
struct PartRecoding: Sendable {
  var contexts: [UInt32]
  var attributes: [UInt32]
  var features: [UInt32]
}

extension PartDictionaryBuilder {
  /// Codes here for the codes of a part's dictionary, without adding to this one; what is not here has a
  /// code that no event has.
  func find(_ source: PartDictionary) -> PartRecoding {
    let values = StringField.allCases.map { field in
      source.values[field.rawValue].map { codes[field.rawValue][$0] ?? .max }
    }
    func map(_ field: StringField, _ code: UInt32) -> UInt32 { values[field.rawValue][Int(code)] }
    return PartRecoding(
      contexts: source.contexts.map {
        contextCodes[
          .init(
            permission: map(.permission, $0.permission), variant: map(.variant, $0.variant),
            experiment: map(.experiment, $0.experiment), surface: map(.surface, $0.surface))] ?? .max
      },
      attributes: source.attributes.map {
        attributeCodes[
          AttributeTuple(
            appVersion: map(.appVersion, $0.appVersion), osVersion: map(.osVersion, $0.osVersion),
            platform: map(.platform, $0.platform), locale: map(.locale, $0.locale), country: map(.country, $0.country))]
          ?? .max
      },
      features: values[StringField.feature.rawValue])
  }
}
