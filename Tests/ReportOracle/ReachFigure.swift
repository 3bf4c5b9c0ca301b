// Figure 8: what the users who are active now have said so far.

/// `reach` of a report.
///
/// - Parameter events: up to as_of, as questions read them.
func reach(_ events: [OracleEvent], permission only: String?, _ terms: Terms) -> OracleJSON {
  // "Users with any event in (as_of − 28 days, as_of]": 28 days, whatever the follow-up is.
  let from = terms.asOf - 28 * millisecondsPerDay
  let activeUsers = Set(events.filter { $0.timestamp > from }.map { Bytes($0.userID) })

  // "Per permission that any of them has an event of (engagement aside)": at any time up to as_of.
  let theirs = events.filter { $0.isOfPermission && activeUsers.contains(Bytes($0.userID)) }
  let permissions = names(theirs.compactMap(\.permission)).filter { only == nil || Bytes($0) == only.map(Bytes.init) }

  return .array(
    permissions.map { permission in
      let ofPermission = theirs.filter { $0.permission.map(Bytes.init) == Bytes(permission) }
      let journeys = Dictionary(grouping: ofPermission) { Bytes($0.userID) }
      let states = journeys.values.map { state($0, permission: permission) }
      func count(_ state: ReachState) -> Int { states.filter { $0 == state }.count }
      return [
        "permission": .string(permission), "active_users": .int(activeUsers.count),
        "never_asked": .int(activeUsers.count - journeys.count), "on": .int(count(.on)),
        "partial": .int(count(.partial)), "off": .int(count(.off)), "restricted": .int(count(.restricted)),
        "undecided": .int(count(.undecided)),
        "turned_on": .int(journeys.values.count { change($0, permission: permission, since: from) == true }),
        "turned_off": .int(journeys.values.count { change($0, permission: permission, since: from) == false }),
      ]
    })
}

private enum ReachState {
  case on, partial, off, restricted, undecided
}

/// "The last word of their journey (`granted`, `re_enabled`: on or partial; `denied`, `revoked`: off, or restricted by
/// the status; `status_checked`: by its status, where `not_determined` or none is undecided; no such event: undecided)."
private func state(_ journey: [OracleEvent], permission: String) -> ReachState {
  let words = ["granted", "re_enabled", "denied", "revoked", "status_checked"]
  guard let last = journey.last(where: { words.contains($0.event) }) else { return .undecided }
  switch last.event {
  case "granted", "re_enabled":
    return isPartial(status: last.status, permission: permission) ? .partial : .on
  case "denied", "revoked":
    return last.status == "restricted" ? .restricted : .off
  default:
    if isPartial(status: last.status, permission: permission) { return .partial }
    if isOn(status: last.status, permission: permission) { return .on }
    if isDenial(last.status) { return .off }
    if last.status == "restricted" { return .restricted }
    return .undecided
  }
}

/// Whether the permission came on, or went off, after a moment: of the words that say a state, the last ones say one, those before the
/// other, and the first of the last ones is later than the moment.
private func change(_ journey: [OracleEvent], permission: String, since: Int) -> Bool? {
  let words: [(time: Int, isOn: Bool)] = journey.compactMap { event in
    switch state([event], permission: permission) {
    case .on, .partial: (event.timestamp, true)
    case .off, .restricted: (event.timestamp, false)
    case .undecided: nil
    }
  }
  // Whose state is not known now has no change.
  guard state(journey, permission: permission) != .undecided, let last = words.last,
    let before = words.lastIndex(where: { $0.isOn != last.isOn })
  else { return nil }
  return words[before + 1].time > since ? last.isOn : nil
}

/// The distinct names, in bytewise order.
func names(_ all: [String]) -> [String] {
  var seen: Set<Bytes> = []
  return all.filter { seen.insert(Bytes($0)).inserted }.sorted { Bytes($0) < Bytes($1) }
}
