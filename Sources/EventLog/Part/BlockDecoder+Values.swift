// Values of a block's rows that few readers ask for: attributes, features, properties of the context, and columns that the
// program does not know.

import Buffers
import PermissionEvents

extension BlockDecoder {
  func decodeDetails() throws {
    try decodeAttributes(into: &codeScratch)
    spreadAttributes(codeScratch, into: &attributes)
    try decodeFeatures(into: &codeScratch)
    features.resizeDiscarding(to: rows)
    var next = 0
    for row in 0..<rows {
      let hasFeature = kinds[row] & RowFlag.feature != 0
      features[row] = hasFeature ? codeScratch[next] : 0
      next += hasFeature ? 1 : 0
    }
  }

  /// The attributes where they change, and where each user's changes begin: next to no work for a block.
  func decodeAttributeChanges() throws {
    try decodeAttributes(into: &attributeChanges, projection: attributeProjection)
    firstAttributeChanges.resizeDiscarding(to: users)
    let kinds = kinds.unsafeAddress
    var before: UInt32 = 0
    var row = 0
    for user in 0..<users {
      firstAttributeChanges[user] = before
      let end = row + Int(rowCounts[user])
      while row < end {
        before &+= UInt32(kinds[row] & RowFlag.attributes) / UInt32(RowFlag.attributes)
        row &+= 1
      }
    }
  }

  /// Those of the rows in which they change.
  func decodeAttributes(into out: inout Buffer<UInt32>, projection: [UInt32] = []) throws {
    try decodeCodes(
      BlockStream.attributes.rawValue, count: count(RowFlag.attributes), limit: part.footer.dictionary.attributes.count,
      into: &out, projection: projection)
  }

  /// Those of the rows that have one.
  func decodeFeatures(into out: inout Buffer<UInt32>) throws {
    try decodeCodes(
      BlockStream.features.rawValue, count: count(RowFlag.feature),
      limit: part.footer.dictionary.values[StringField.feature.rawValue].count, into: &out)
  }

  /// Attributes that are given for the rows in which they change, to all rows.
  func spreadAttributes(_ changes: borrowing Buffer<UInt32>, into out: inout Buffer<UInt32>) {
    out.resizeDiscarding(to: rows)
    var change = 0
    for user in 0..<users {
      var current: UInt32 = 0
      for row in Int(firstRows[user])..<Int(firstRows[user + 1]) {
        if kinds[row] & RowFlag.attributes != 0 {
          current = changes[change]
          change += 1
        }
        out[row] = current
      }
    }
  }

  /// The value of a property of the context for each row: `property` translates the part's context codes.
  func loadContextProperty(_ property: [UInt32], into out: inout Buffer<UInt32>) throws {
    try load(.kinds)
    try decodeContexts(projection: property)
    out.resizeDiscarding(to: rows)
    let engagement = kindCodes.engagement
    var next = 0
    for user in 0..<users {
      var permissionValue = property[0]
      var engagementValue = property[0]
      for row in Int(firstRows[user])..<Int(firstRows[user + 1]) {
        let byte = kinds[row]
        let isEngagement = engagement &>> UInt32(byte & 15) & 1 != 0
        if byte & RowFlag.context != 0 {
          if isEngagement { engagementValue = codeScratch[next] } else { permissionValue = codeScratch[next] }
          next += 1
        }
        out[row] = isEngagement ? engagementValue : permissionValue
      }
    }
  }

  /// A code for each row and column; a block in which no row has a value of a column has no stream for it.
  func decodeColumns() throws {
    columnCodes.removeAll()
    for (number, column) in part.footer.dictionary.columns.enumerated() {
      if entry(column.stream) != nil {
        try decodeCodes(column.stream, count: rows, limit: column.values.count, into: &codeScratch)
        columnCodes.append(from: codeScratch.unsafeAddress, count: rows)
      }
      columnCodes.extend(to: (number + 1) * rows, repeating: 0)
    }
  }

  /// The code of a row in a column that the program does not know; `columns` must be loaded.
  func columnCode(_ column: Int, _ row: Int) -> Int { Int(columnCodes[column * rows + row]) }
}
