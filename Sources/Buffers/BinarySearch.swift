// Binary search.

extension Array {
  /// Binary search: the first index from which `isReached` is true, or the count if there is no such index. It is false
  /// before and true after.
  @inlinable
  @inline(__always)
  package func firstPlace(where isReached: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isReached(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
