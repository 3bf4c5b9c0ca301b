// Counters of journeys by permission, under the codes of one walk.

import Buffers
import PermissionEvents

/// Counters of the permissions that somebody was asked for: memory is that of permissions with events, and not of names.
struct PracticeTable: ~Copyable {
  /// By permission code the number of its row plus one; 0 without one.
  private let rows: Buffer<Int32>
  private var counts = Buffer<Int64>(capacity: 32 * PracticeCounter.count)
  /// By row its permission.
  private(set) var permissions = Buffer<UInt32>()

  init(permissionCount: Int) { rows = Buffer(repeating: 0, count: permissionCount) }

  /// Bytes that the rows take in sums, about.
  var size: Int { permissions.count * AuditSums.sizeOfRow }

  /// The counters of a permission. Valid until another permission is asked for.
  @inline(__always)
  mutating func row(of permission: UInt32) -> PracticeRow {
    var number = Int(rows[Int(permission)]) - 1
    if number < 0 {
      number = permissions.count
      permissions.append(permission)
      counts.extend(to: permissions.count * PracticeCounter.count, repeating: 0)
      rows[Int(permission)] = Int32(truncatingIfNeeded: permissions.count)
    }
    return PracticeRow(counts: counts.unsafeAddress + number * PracticeCounter.count)
  }

  /// The counters of a row, by its number.
  func integers(_ number: Int) -> [Int64] {
    (0..<PracticeCounter.count).map { counts[number * PracticeCounter.count + $0] }
  }
}

/// The counters of one permission.
struct PracticeRow {
  fileprivate let counts: UnsafeMutablePointer<Int64>

  @inline(__always)
  func add(_ counter: PracticeCounter, _ holds: Bool = true) { counts[counter.rawValue] &+= holds ? 1 : 0 }
}
