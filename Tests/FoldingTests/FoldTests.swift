// A fold of one's own, over a batch made by hand: what a user's history offers.

import Folding
import PermissionEvents
import Testing

/// Writes down what it is shown.
private struct Notebook: Fold {
  struct Sums: FoldSums {
    static let name = "notes 1"
    static var layout: SumsLayout<Self> { [] }
    var notes: [String] = []
    mutating func add(_ other: Self) { notes += other.notes }
  }

  let contexts: HistoryContexts

  mutating func fold(_ user: borrowing UserHistory, into sums: inout Sums) {
    var note = String(decoding: user.id(), as: UTF8.self) + ":"
    for i in 0..<user.eventCount {
      let permission = contexts.permissions[Int(contexts.contexts[user.context(i)].permission)]
      note +=
        " \(user.kind(i).name)@\(user.time(i))/\(user.status(i).name)/\(String(decoding: permission, as: UTF8.self))"
      note += "/\(user.property(i))/\(user.attributes(i))"
    }
    for i in 0..<user.engagementCount { note += " \(user.engagementKind(i).name)@\(user.engagementTime(i))" }
    note += " \(user.times.count) \(user.codes.count) \(user.engagement.count) \(user.hasAttributes)"
    sums.notes.append(note)
  }
}

@Suite struct FoldTests {
  @Test func aFoldSeesEachUserOnceAndWhole() {
    let contexts = HistoryContexts(
      contexts: [
        .init(permission: 0, variant: 0, experiment: 0), .init(permission: 2, variant: 0, experiment: 0),
      ],
      permissions: [[], Array("notifications".utf8), Array("camera".utf8)], variants: [[]], experiments: [[]],
      properties: [[], [0x78]])
    func code(_ kind: EventKind, _ status: AuthorizationStatus, _ context: UInt32) -> UInt32 {
      UInt32(kind.rawValue) | UInt32(status.rawValue) << HistoryBatch.statusShift | context << HistoryBatch.contextShift
    }
    let codes = [code(.promptShown, .none, 1), code(.granted, .limited, 1), code(.denied, .none, 0)]
    var fold = Notebook(contexts: contexts)
    var sums = Notebook.Sums()
    withPointers([2, 0, 1] as [UInt32], [0, 1, 2] as [UInt32]) { permissionCounts, engagementCounts in
      withPointers([10, 20, 30] as [Milliseconds], codes) { times, codes in
        withPointers([5 << 1, 6 << 1 | 1, 7 << 1] as [UInt64], [0, 1, 0] as [UInt32]) { engagement, properties in
          let batch = HistoryBatch(
            userCount: 3, permissionCounts: permissionCounts, engagementCounts: engagementCounts, times: times,
            codes: codes, engagement: engagement, properties: properties,
            userIDs: UserIDColumn { Array("user \($0)".utf8) })
          fold.fold(batch: batch, into: &sums)
        }
      }
    }
    #expect(
      sums.notes == [
        "user 0: prompt_shown@10//camera/0/0 granted@20/limited/camera/1/0 2 2 0 false",
        "user 1: feature_used@5 0 0 1 false",
        "user 2: denied@30///0/0 app_active@6 feature_used@7 1 1 2 false",
      ])
  }

  private func withPointers<A, B>(
    _ a: [A], _ b: [B], _ body: (UnsafePointer<A>, UnsafePointer<B>) -> Void
  ) {
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        guard let a = a.baseAddress, let b = b.baseAddress else { return }
        body(a, b)
      }
    }
  }
}
