// Figure 10: how many events of each kind there were.

/// "The count of each kind, by permission (none for the two engagement kinds, whatever they carry), by ISO week of the
/// event itself." Reading: every kind of the first release is listed with its number, also 0, `app_installed` only if there
/// is one in any row; it belongs to no permission either.
///
/// - Parameters:
///   - events: stored events up to as_of.
///   - interval: chooses events by their own time.
///   - only: with a permission, the engagement rows are left out.
func activity(
  _ events: [OracleEvent], in interval: OracleInterval, permission only: String?, _ terms: Terms
) -> OracleJSON {
  func permission(_ event: OracleEvent) -> String? { event.isOfPermission ? event.permission : nil }

  let chosen = events.filter { event in
    interval.contains(event.timestamp) && (only == nil || permission(event).map(Bytes.init) == only.map(Bytes.init))
  }
  let kinds = oracleKinds.filter { kind in kind != "app_installed" || chosen.contains { $0.event == kind } }
  // Null first, then the names bytewise.
  let permissions: [String?] = [nil] + names(chosen.compactMap(permission))
  return .array(
    permissions.flatMap { name in
      let ofPermission = chosen.filter { permission($0).map(Bytes.init) == name.map(Bytes.init) }
      let weeks = Set(ofPermission.map { terms.calendar.week(of: $0.timestamp) }).sorted { $0.firstDay < $1.firstDay }
      return weeks.map { week -> OracleJSON in
        let ofWeek = ofPermission.filter { terms.calendar.week(of: $0.timestamp) == week }
        let counts = kinds.map { kind in
          OracleMember(key: kind, value: .int(ofWeek.filter { $0.event == kind }.count))
        }
        return ["permission": .text(name), "week": .string(week.name), "counts": .object(counts)]
      }
    })
}
