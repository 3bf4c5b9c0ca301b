// Which vendor a table or flattened records come from, by the names of their columns: a preset that a draft can build on.

import EventMapping

struct DraftVendor {
  let preset: String
  /// Times that name no zone are UTC.
  let isUTC: Bool

  /// Columns of one vendor, by their squashed names: all of the first and one of the second.
  private static let known: [(preset: String, all: [String], one: [String])] = [
    (
      "amplitude", ["eventtype"],
      ["amplitudeid", "insertid", "clienteventtime", "clientuploadtime", "serveruploadtime", "amplitudeeventtype"]
    ),
    ("ga4", ["eventname", "eventtimestamp", "userpseudoid"], []),
    (
      "posthog", ["event", "distinctid", "timestamp"],
      ["uuid", "teamid", "elementschain", "personid", "propertieslib", "propertiesdeviceid"]
    ),
    (
      "mixpanel", ["event", "distinctid"],
      ["insertid", "mplib", "mpprocessingtimems", "propertiesinsertid", "mpcountrycode", "propertiesmplib"]
    ),
    (
      "segment", ["anonymousid"],
      ["messageid", "originaltimestamp", "uuidts", "contextlibraryname", "contextlibraryversion", "eventtext"]
    ),
    ("snowplow", ["eventid", "collectortstamp"], []),
  ]

  /// Nil if the columns are no vendor's.
  init?(_ sketch: HeadSketch) {
    var names: Set<String> = []
    for place in sketch.places {
      names.insert(SketchPlace.squash(place.path.joined()))
      if let own = place.ownName { names.insert(SketchPlace.squash(own)) }
    }
    let found = Self.known.first { names.isSuperset(of: $0.all) && ($0.one.isEmpty || !names.isDisjoint(with: $0.one)) }
    guard let found else { return nil }
    preset = found.preset
    isUTC = preset != "mixpanel"
  }
}
