// Binary search in what is sorted.

extension Array {
  /// The first place from which on `isReached` is true; the count where it is nowhere. It is false before and true behind.
  @inline(__always)
  func firstPlace(where isReached: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isReached(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
