// One generated event, small enough that a day's events and the planned days ahead stay in memory.

struct Event {
  /// Milliseconds since the first day's midnight, UTC.
  var time: Int64
  /// Place of the event in the order of creation; its event id is a mix of this and the seed.
  var serial: UInt64
  var user: UInt32
  var kind: Kind
  var status = Status.none
  /// Indexes into the vocabulary; `Event.absent` leaves the field out.
  var permission = Event.absent
  var variant = Event.absent
  var surface = Event.absent
  var feature = Event.absent

  static let absent = UInt8.max
  static let millisecondsPerDay: Int64 = 86_400_000

  /// The day, counted from the first one, on which the event happens.
  var day: Int { Int(time / Event.millisecondsPerDay) }
}
