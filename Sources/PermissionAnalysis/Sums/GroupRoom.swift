// An end to the memory of groups.

import Folding
import PermissionEvents

/// How much memory the sums of all groups may take.
package struct GroupRoom: Sendable {
  /// Groups that are kept with all their integers, which is fastest. If there are more they are packed.
  package var groups = 1 << 13
  /// Bytes of packed groups, of all threads and folds together.
  package var bytes = 256 << 20
  /// Rows that are kept. If there are more each is made when it is written.
  package var rows = 1 << 14

  package init() {}

  /// Groups that each of several folds may keep with all their integers.
  private static let leastGroups = 1 << 11

  /// The room of one of the folds that count at the same time.
  func share(_ contexts: HistoryContexts) -> GroupRoom {
    var share = self
    share.groups = min(groups, max(groups / max(1, contexts.folds), Self.leastGroups))
    share.bytes /= max(1, contexts.threads) * max(1, contexts.folds)
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
