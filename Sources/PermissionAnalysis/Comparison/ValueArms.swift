// The arm of an exposure by its value of the property that is compared, under the codes of one walk.

import Buffers
import Folding
import PermissionEvents

/// Owned by one thread.
struct ValueArms: ~Copyable {
  /// By context its arm if messages are compared, -1 for none; else empty.
  private var ofContexts = Buffer<Int32>()
  private var values: ExposureValues
  /// By code of a value its arm. It grows with the codes.
  private var ofValues = Buffer<Int32>()
  /// Of the arms, in their order; nil is one arm of all.
  private let names: [[UInt8]]?

  init(_ question: ComparisonQuestion, _ contexts: HistoryContexts) {
    names = question.variants?.map { Array($0.utf8) }
    let looksUp = names != nil && !question.isOfMessages
    values = ExposureValues(looksUp ? [question.comparedProperty] : [], where: [], question.selection, contexts)
    guard !looksUp else { return }
    let codes = names?.map { name in contexts.variants.firstIndex(of: name) }
    for context in contexts.contexts {
      ofContexts.append(Int32(codes.map { $0.firstIndex(of: Int(context.variant)) ?? -1 } ?? 0))
    }
  }

  /// - Parameter event: its number among the user's events of permissions.
  @inline(__always)
  mutating func arm(of event: Int, _ user: borrowing UserHistory) -> Int {
    ofContexts.count > 0 ? Int(ofContexts[user.context(event)]) : lookUp(event, user)
  }

  @inline(never)
  private mutating func lookUp(_ event: Int, _ user: borrowing UserHistory) -> Int {
    let code = Int(values.code(user, event))
    while ofValues.count <= code {
      let value = values.values[ofValues.count][0]
      ofValues.append(names?.firstIndex(of: value).map { Int32(truncatingIfNeeded: $0) } ?? -1)
    }
    return Int(ofValues[code])
  }
}
