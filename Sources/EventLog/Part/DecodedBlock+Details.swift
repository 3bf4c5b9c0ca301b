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

extension DecodedBlock {
  /// The attributes where they change, and where each user's changes begin: next to no work for a block.
  func decodeAttributeChanges() throws {
    let count = count(RowFlag.attributes)
    try codes(
      .attributes, count: count, limit: part.footer.dictionary.attributes.count, into: attributeChanges,
      projection: attributeProjection)
    firstAttributeChanges.reserve(users)
    let kinds = kinds.pointer
    var before: UInt32 = 0
    var row = 0
    for user in 0..<users {
      firstAttributeChanges.pointer[user] = before
      let end = row + Int(runLengths.pointer[user])
      while row < end {
        before &+= UInt32(kinds[row] & RowFlag.attributes) / UInt32(RowFlag.attributes)
        row &+= 1
      }
    }
  }

  /// The selected attributes of every row; `attributeChanges` must be loaded.
  func copyAttributes(into out: GrowingBuffer<UInt32>) {
    out.reserve(rows)
    var row = 0
    var change = 0
    for user in 0..<users {
      var current: UInt32 = 0
      for i in row..<row + Int(runLengths.pointer[user]) {
        if kinds.pointer[i] & RowFlag.attributes != 0 {
          current = attributeChanges.pointer[change]
          change += 1
        }
        out.pointer[i] = current
      }
      row += Int(runLengths.pointer[user])
    }
  }
}
