// The arm of an exposure by its value of the property that is compared, under the codes of one walk.

import Buffers
import Folding
import PermissionEvents

/// Owned by one thread.
struct ValueArms: ~Copyable {
  private var values: ExposureValues
  /// By code of a value its arm, -1 for none; empty is one arm of all.
  private var arms = Buffer<Int32>()

  init(_ question: ComparisonQuestion, _ contexts: HistoryContexts) {
    let names = question.variants?.map { Array($0.utf8) }
    values = ExposureValues(
      names == nil ? [] : [question.comparedProperty], where: [], question.selection, contexts)
    guard let names else { return }
    for value in values.values { arms.append(Int32(names.firstIndex(of: value[0]) ?? -1)) }
  }

  /// - Parameter event: its number among the user's events of permissions.
  mutating func arm(of event: Int, _ user: borrowing UserHistory) -> Int {
    arms.count == 0 ? 0 : Int(arms[Int(values.code(user, event))])
  }
}
