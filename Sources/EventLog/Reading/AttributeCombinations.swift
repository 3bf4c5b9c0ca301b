// Combinations of some of the attributes, with codes that all parts share.

import PermissionEvents

extension AttributeTuple {
  /// The code of one attribute; 0 for a field that is none.
  func code(of field: StringField) -> UInt32 {
    switch field {
    case .appVersion: appVersion
    case .osVersion: osVersion
    case .platform: platform
    case .locale: locale
    case .country: country
    case .permission, .variant, .experiment, .surface, .feature: 0
    }
  }
}

/// Gathers the combinations of the selected attributes over the parts' dictionaries.
struct AttributeCombinations {
  private let fields: [StringField]
  /// By code; 0 is all absent.
  private(set) var all: [[UInt32]]
  private var codes: [[UInt32]: UInt32]

  init(_ fields: [StringField]) {
    self.fields = fields
    let absent = [UInt32](repeating: 0, count: fields.count)
    all = [absent]
    codes = [absent: 0]
  }

  /// By the part's attribute code the code of its combination; empty where nothing was selected.
  /// - Parameter values: by the part's code of a field the code that all parts share.
  mutating func codes(_ dictionary: PartDictionary, values: (StringField) -> [UInt32]) -> [UInt32] {
    guard !fields.isEmpty else { return [] }
    let shared = fields.map(values)
    return dictionary.attributes.map { tuple in
      code(zip(fields, shared).map { field, shared in shared[Int(tuple.code(of: field))] })
    }
  }

  private mutating func code(_ combination: [UInt32]) -> UInt32 {
    if let code = codes[combination] { return code }
    let code = UInt32(truncatingIfNeeded: all.count)
    codes[combination] = code
    all.append(combination)
    return code
  }
}
