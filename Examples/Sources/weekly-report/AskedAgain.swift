// A question of this package's own: the system shows its dialog once, so a second one after a denial is never seen.

import Permlog

/// Of the users who denied a permission: who was shown its prompt again?
struct AskedAgain: Fold {
  struct Sums: FoldSums {
    static let name = "asked-again 1"
    static var layout: SumsLayout<Self> { [.part(\.users)] }
    var users = SumTable("users", keys: ["permission"], columns: ["denied", "asked_again"])
  }

  let contexts: HistoryContexts

  mutating func fold(_ user: borrowing UserHistory, into sums: inout Sums) {
    var denied: Set<String> = []
    var askedAgain: Set<String> = []
    for event in 0..<user.eventCount {
      let permission = contexts.permission(of: user.context(event))
      switch user.kind(event) {
      case .denied: denied.insert(permission)
      case .promptShown where denied.contains(permission): askedAgain.insert(permission)
      default: break
      }
    }
    for permission in denied { sums.users.count("denied", of: permission) }
    for permission in askedAgain { sums.users.count("asked_again", of: permission) }
  }
}
