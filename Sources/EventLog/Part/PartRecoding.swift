// From the codes of one part's dictionary to those of another.

/// For each code of one part's dictionary the code in another.
struct PartRecoding: Sendable {
  /// Of a column that the program does not know.
  struct Column: Sendable {
    /// In the other dictionary.
    var number: Int
    var codes: [UInt32]
  }

  var contexts: [UInt32]
  var attributes: [UInt32]
  var features: [UInt32]
  /// By the part's column; nil if the other dictionary has no such column.
  var columns: [Column?] = []
}
