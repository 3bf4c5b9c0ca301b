// "Did you mean": the value of a closed list that somebody probably meant by another word.

import PermissionEvents

package enum Suggestion {
  /// The kind, and the permission if the name says one: `denied with permission notifications`.
  package static func kind(_ value: some Collection<UInt8>) -> String? {
    let usual = EventReading(name: NormalName(value), properties: TellingProperties())
    if case .event(let kind) = usual.meaning {
      let permission = usual.permission.map { " with permission " + String(decoding: $0, as: UTF8.self) } ?? ""
      return kind.name + permission
    }
    if case .outcome(let said) = AnswerReading(value).said, let kind = EventReading.kind(of: said) { return kind.name }
    return nearest(value, EventKind.names)
  }

  /// The kind that a name is a letter or two away from.
  static func nearestKind(_ value: some Collection<UInt8>) -> EventKind? {
    nearest(value, EventKind.names).flatMap { EventReading.kind(named: NormalName($0)) }
  }

  package static func permission(_ value: some Collection<UInt8>) -> String? {
    PermissionWords.permission(value: value) ?? nearest(value, PermissionCode.taxonomy)
  }

  package static func status(_ value: some Collection<UInt8>) -> String? {
    StatusWords.status(value)?.name ?? nearest(value, Array(AuthorizationStatus.names.dropFirst()))
  }

  /// The name that is at most two letters away, and of a short word no more than a third of its letters; nil if none is, or
  /// several are as near.
  private static func nearest(_ value: some Collection<UInt8>, _ names: [String]) -> String? {
    let text = Array(NormalName(value).text.utf8)
    guard (4...40).contains(text.count) else { return nil }
    let ranked = names.map { (name: $0, distance: distance(text, Array($0.utf8))) }.sorted { $0.distance < $1.distance }
    guard let best = ranked.first, best.distance <= min(2, text.count / 3) else { return nil }
    return ranked.dropFirst().first?.distance == best.distance ? nil : best.name
  }

  /// Letters to insert, delete or replace (Levenshtein 1966).
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        let above = row[j + 1]
        row[j + 1] = min(above + 1, row[j] + 1, diagonal + (x == y ? 0 : 1))
        diagonal = above
      }
    }
    return row[b.count]
  }
}
