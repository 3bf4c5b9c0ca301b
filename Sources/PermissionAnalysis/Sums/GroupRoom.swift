// An end to the memory of groups.

import Folding

/// How much memory the sums of all groups may take.
package struct GroupRoom: Sendable {
  /// Groups that are kept with all their integers, which is fastest. If there are more they are packed.
  package var groups = 1 << 13
  /// Bytes of packed groups, of all threads together.
  package var bytes = 256 << 20
  /// Rows that are kept. If there are more each is made when it is written.
  package var rows = 1 << 14

  package init() {}

  /// The room of one of several threads.
  func share(of threads: Int) -> GroupRoom {
    var share = self
    share.bytes /= max(1, threads)
    return share
  }

  /// Throws if groups of a size have no room.
  func check(_ size: Int) throws(SumsError) {
    guard size > bytes else { return }
    throw SumsError(
      .tooManyGroups,
      "the users divide into too many groups (permissions, weeks and values of the property): their sums take more than "
        + "the \(bytes >> 20) MB that there are for them")
  }
}
