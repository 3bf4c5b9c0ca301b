// Collects the dictionary of a part that is being written.

import PermissionEvents

/// Collects the dictionary of a part that is being written from the dictionaries of its sources.
/// Used by one thread, before any block is encoded.
struct PartDictionaryBuilder {
  private(set) var dictionary: PartDictionary
  private var codes: [[[UInt8]: UInt32]]
  private var columnCodes: [[[UInt8]: UInt32]]
  private var contextCodes: [PartDictionary.Context: UInt32]
  private var attributeCodes: [AttributeTuple: UInt32]

  /// Kinds and permissions have the program's codes; what it does not know comes after those.
  /// - Parameter vocabulary: of all sources together.
  init(_ vocabulary: LogVocabulary = LogVocabulary()) {
    var values: [[[UInt8]]] = StringField.allCases.map { _ in [[]] }
    let taxonomy = PermissionCode.taxonomy.map { Array($0.utf8) } + vocabulary.permissions
    values[StringField.permission.rawValue] += taxonomy
    let columns = vocabulary.columns.enumerated().map { number, name in
      PartColumn(name: name, stream: PartColumn.firstStream + UInt8(truncatingIfNeeded: number), values: [[]])
    }
    dictionary = PartDictionary(
      kinds: PartKind.program + vocabulary.kinds, values: values, isOfTaxonomy: [false] + taxonomy.map { _ in true },
      contexts: [.init()], attributes: [.init()], columns: columns)
    codes = values.map { list in
      Dictionary(uniqueKeysWithValues: list.enumerated().map { ($0.element, UInt32($0.offset)) })
    }
    columnCodes = columns.map { _ in [[]: 0] }
    contextCodes = [.init(): 0]
    attributeCodes = [.init(): 0]
  }

  mutating func code(_ field: StringField, _ value: [UInt8]) -> UInt32 {
    if let code = codes[field.rawValue][value] { return code }
    let code = UInt32(truncatingIfNeeded: dictionary.values[field.rawValue].count)
    dictionary.values[field.rawValue].append(value)
    if field == .permission { dictionary.isOfTaxonomy.append(false) }
    codes[field.rawValue][value] = code
    return code
  }

  /// Codes here of the values of a source's column, and the column's number here.
  private mutating func codes(of column: PartColumn) -> PartRecoding.Column? {
    guard let number = dictionary.columns.firstIndex(where: { $0.name == column.name }) else { return nil }
    let codes = column.values.map { value in
      if let code = columnCodes[number][value] { return code }
      let code = UInt32(truncatingIfNeeded: dictionary.columns[number].values.count)
      dictionary.columns[number].values.append(value)
      columnCodes[number][value] = code
      return code
    }
    return PartRecoding.Column(number: number, codes: codes)
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
      features: values[StringField.feature.rawValue], columns: source.columns.map { codes(of: $0) })
  }
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
