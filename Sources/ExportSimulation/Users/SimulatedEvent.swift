// One simulated event, small enough that a block of users fits in a few megabytes.

import PermissionEvents

struct SimulatedEvent {
  /// When it happened on the device.
  var time: Milliseconds
  /// When the server received it.
  var received: Milliseconds = 0
  /// The user's place in the block.
  var user: UInt32
  /// The event's place among the user's; its id is a mix of this and the user's key.
  var serial: UInt32
  var kind: EventKind
  var status: AuthorizationStatus
  /// Index of the permission's model; `absent` where there is none.
  var permission: UInt8
  var message: Message
  /// Index of the feature; `absent` where there is none.
  var feature: UInt8
  var appVersion: UInt8
  var osVersion: UInt8

  static let absent = UInt8.max

  /// The message on the explanation, where the permission has an experiment.
  enum Message: UInt8 { case none, a, b }
}
