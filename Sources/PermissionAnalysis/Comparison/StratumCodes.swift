// The strata of a comparison that is adjusted for properties of the exposure, under the codes of one walk.

import Buffers
import PermissionEvents

/// A comparison that cannot be adjusted for the properties that were declared.
package enum AdjustmentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// More combinations of values than a comparison is divided into.
  case tooManyStrata(properties: [StringField])

  /// Most strata.
  package static let mostStrata = 1_000

  package var description: String {
    switch self {
    case .tooManyStrata(let properties):
      "\(properties.map(\.name).joined(separator: " and ")) divide the users into more than \(Self.mostStrata) strata, too many to adjust for"
    }
  }
}

/// Numbers of strata by code of an exposure's attributes. Without properties to adjust for all is one stratum.
struct StratumCodes: ~Copyable {
  /// By code the first code whose values of the checked attributes are the same; empty if the walk has no others, and every code is
  /// a combination of those.
  private let checkedCodes: Buffer<Int32>
  /// The same of the adjusted ones; empty without properties to adjust for.
  private let adjustedCodes: Buffer<Int32>
  /// By adjusted code its stratum's number plus one; 0 if no journey had it yet.
  private let numbers: Buffer<Int32>
  /// By number of a stratum an adjusted code.
  private var codes: [Int] = []
  /// There were more strata than can be adjusted for: all count as one from then on.
  private(set) var areTooMany = false
  let isAdjusted: Bool

  init(_ question: ComparisonQuestion, _ contexts: HistoryContexts) {
    // A local: what `precondition` is given is a closure, and the compiler (6.3, optimizing) frees what a closure sees of a value
    // that is not copyable and not yet whole.
    let isAdjusted = !question.adjusted.isEmpty
    self.isAdjusted = isAdjusted
    let selected = question.selection.attributes
    let hasOthers = selected.count > ComparisonQuestion.checkedAttributes.count
    precondition(
      !isAdjusted && !hasOthers || contexts.attributeValues.count >= selected.count,
      "the walk has the attributes to adjust for")
    func firstCodes(of fields: [StringField]) -> Buffer<Int32> {
      let places = fields.compactMap { selected.firstIndex(of: $0) }
      var first: [[UInt32]: Int] = [:]
      var codes = Buffer<Int32>()
      for (code, values) in contexts.attributes.enumerated() where !places.isEmpty {
        let values = places.map { values[$0] }
        codes.append(Int32(truncatingIfNeeded: first[values] ?? code))
        if first[values] == nil { first[values] = code }
      }
      return codes
    }
    checkedCodes = firstCodes(of: hasOthers ? ComparisonQuestion.checkedAttributes : [])
    adjustedCodes = firstCodes(of: question.adjusted)
    numbers = Buffer(repeating: 0, count: adjustedCodes.count)
  }

  /// The one code of all with the same values of the checked attributes.
  @inline(__always)
  func checkedCode(_ code: Int) -> Int { checkedCodes.count == 0 ? code : Int(checkedCodes[code]) }

  /// The number of an exposure's stratum.
  @inline(__always)
  mutating func stratum(of code: Int) -> Int { isAdjusted ? adjustedStratum(of: code) : 0 }

  private mutating func adjustedStratum(of code: Int) -> Int {
    let first = Int(adjustedCodes[code])
    if numbers[first] > 0 { return Int(numbers[first]) - 1 }
    guard codes.count < AdjustmentError.mostStrata else {
      areTooMany = true
      return 0
    }
    codes.append(first)
    numbers[first] = Int32(truncatingIfNeeded: codes.count)
    return codes.count - 1
  }

  /// The values of a stratum.
  func values(of stratum: Int, _ question: ComparisonQuestion, _ contexts: HistoryContexts) -> SettledSums.Stratum {
    guard isAdjusted, !areTooMany else { return .whole }
    let selected = question.selection.attributes
    let values = ComparisonQuestion.adjustable.map { field -> [UInt8]? in
      guard question.adjusted.contains(field), let place = selected.firstIndex(of: field) else { return nil }
      let value = contexts.attributeValues[place][Int(contexts.attributes[codes[stratum]][place])]
      return value.isEmpty ? nil : value
    }
    return SettledSums.Stratum(values: values)
  }
}
