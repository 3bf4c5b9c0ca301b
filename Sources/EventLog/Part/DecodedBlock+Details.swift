// Attributes and features of a block's events.

import PermissionEvents

extension DecodedBlock {
  func decodeDetails() throws {
    let dictionary = part.footer.dictionary
    try codes(
      .attributes, count: count(RowFlag.attributes), limit: dictionary.attributes.count, into: attributeExceptions)
    try codes(
      .features, count: count(RowFlag.feature), limit: dictionary.values[StringField.feature.rawValue].count,
      into: featureExceptions)
    attributes.reserve(rows)
    features.reserve(rows)
    var nextAttributes = attributeExceptions.pointer
    var nextFeature = featureExceptions.pointer
    var row = 0
    for user in 0..<users {
      var current: UInt32 = 0
      for i in row..<row + Int(runLengths.pointer[user]) {
        let byte = kinds.pointer[i]
        if byte & RowFlag.attributes != 0 {
          current = nextAttributes.pointee
          nextAttributes += 1
        }
        attributes.pointer[i] = current
        if byte & RowFlag.feature != 0 {
          features.pointer[i] = nextFeature.pointee
          nextFeature += 1
        } else {
          features.pointer[i] = 0
        }
      }
      row += Int(runLengths.pointer[user])
    }
  }
}
