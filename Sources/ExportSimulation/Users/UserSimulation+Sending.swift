// How events reach the server: a visit's batch after half a minute as a rule, after hours where there was no network,
// after days where the phone lay in a drawer; and now and then twice.

import PermissionEvents

extension UserSimulation {
  /// Sends the events from `first` on.
  mutating func send(from first: Int, _ block: EventBlock) {
    let batch = first..<block.count
    let draw = random.uniform()
    let lag: Double
    if draw < 0.003 {
      lag = 86_400_000 * (3 + 17 * random.uniform())
    } else if draw < 0.053 {
      lag = 3_600_000 * (1 + 71 * random.uniform())
    } else {
      lag = random.exponential(mean: 30_000)
    }
    let received = clock + 240 + Milliseconds(lag)
    block.receive(from: first, at: received)
    guard random.chance(0.012) else { return }
    let later = received + 5000 + Milliseconds(random.exponential(mean: 300_000))
    // One in twenty copies differs: it is stamped with the system's version of the moment at which it was sent.
    let count = AppVocabulary.osVersions.count
    let isStamped = random.chance(0.05)
    let other = UInt8((Int(user.osVersion(on: today)) + 1) % count)
    block.resend(batch, at: later, osVersion: isStamped ? other : nil)
  }
}
