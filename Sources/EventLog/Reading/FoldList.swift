// Several folds of a kind on one thread.

import Folding
import PermissionEvents

/// Folds that see the same histories. Owned by one thread.
struct FoldList<F: Fold & ~Copyable>: ~Copyable {
  private let folds: UnsafeMutableBufferPointer<F>

  init(_ count: Int, _ make: (Int) throws -> F) throws {
    let folds = UnsafeMutableBufferPointer<F>.allocate(capacity: count)
    var made = 0
    do {
      while made < count {
        folds.initializeElement(at: made, to: try make(made))
        made += 1
      }
    } catch {
      folds.extracting(..<made).deinitialize()
      folds.deallocate()
      throw error
    }
    self.folds = folds
  }

  /// - Parameter sums: of each fold.
  func fold(batch: HistoryBatch, into sums: inout [F.Sums]) {
    for number in 0..<folds.count { folds[number].fold(batch: batch, into: &sums[number]) }
  }

  func finish(into sums: inout [F.Sums]) {
    for number in 0..<folds.count { folds[number].finish(into: &sums[number]) }
  }

  deinit {
    folds.deinitialize()
    folds.deallocate()
  }
}
