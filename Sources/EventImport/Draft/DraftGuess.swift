// Which place of a file is what: by its name first, by its values if that says more.

import EventMapping

/// The guesses about a file, each with the places that it could be instead.
struct DraftGuess {
  /// Best first.
  let times: [SketchPlace]
  let devices: [SketchPlace]
  let accounts: [SketchPlace]
  let events: [SketchPlace]
  let ids: [SketchPlace]
  /// Objects with properties of the app's own.
  let properties: [[String]]
  /// Keys of a mapping's `fields` with their places.
  let fields: [(key: String, place: SketchPlace)]

  init(_ sketch: HeadSketch) {
    let places = sketch.places.filter { $0.count > 0 }
    times = Self.ranked(places.filter { $0.time != nil }) { place in
      Self.rank(place, DraftNames.times)
        ?? (Self.soundsLikeTime(place) ? 100 : place.texts > 0 && place.time != .digits ? 200 : nil)
    }
    let others = places.filter { $0.time == nil && !DraftNames.noUsers.contains($0.squashed) }
    devices = Self.ranked(others) { place in
      Self.rank(place, DraftNames.devices) ?? (Self.isID(place, of: ["device", "install"]) ? 100 : nil)
    }
    let known = Set(devices.map(\.path))
    accounts = Self.ranked(others.filter { !known.contains($0.path) }) { place in
      Self.rank(place, DraftNames.accounts)
        ?? (Self.isID(place, of: ["user", "account", "customer", "member", "person"]) ? 100 : nil)
    }
    let users = known.union(accounts.map(\.path))
    events = Self.ranked(others.filter { !users.contains($0.path) && Self.mayBeNames($0) }) { place in
      guard let rank = Self.rank(place, DraftNames.events) else { return nil }
      return Self.namesPermission(place) ? rank : rank + 50
    }
    ids = Self.ranked(places.filter { $0.isUnique && $0.time == nil && !users.contains($0.path) }) { place in
      Self.rank(place, DraftNames.ids)
    }
    var objects: [[String]] = []
    for place in places {
      for depth in 1..<max(1, place.path.count) {
        let path = Array(place.path.prefix(depth))
        if DraftNames.properties.contains(SketchPlace.squash(path.last ?? "")), !objects.contains(path) {
          objects.append(path)
        }
      }
    }
    properties = objects
    var taken = users.union([times.first, events.first, ids.first].compactMap { $0?.path })
    var found: [(String, SketchPlace)] = []
    for (key, names) in DraftNames.fields {
      let best = Self.ranked(places.filter { !taken.contains($0.path) }) { Self.rank($0, names) }.first
      guard let best else { continue }
      taken.insert(best.path)
      found.append((key, best))
    }
    fields = found
  }

  /// The places that have a rank, by it; of equal ones what is less deep, then what comes first.
  private static func ranked(_ places: [SketchPlace], _ rank: (SketchPlace) -> Int?) -> [SketchPlace] {
    places.enumerated().compactMap { index, place in rank(place).map { ($0, place.path.count, index, place) } }
      .sorted { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }.map(\.3)
  }

  /// The index in a list of names of the place's, alone or with the object that it is in.
  private static func rank(_ place: SketchPlace, _ names: [String]) -> Int? {
    let alone = names.firstIndex(of: place.squashed)
    let pair = place.path.count > 1 ? names.firstIndex(of: place.squashedPair) : nil
    return [alone, pair].compactMap { $0 }.min()
  }

  private static func soundsLikeTime(_ place: SketchPlace) -> Bool {
    let name = place.squashed
    return name.hasSuffix("at") || name.contains("time") || name.contains("date")
  }

  private static func isID(_ place: SketchPlace, of words: [String]) -> Bool {
    let name = place.squashed
    return (name.hasSuffix("id") || name.hasSuffix("key") || name.hasSuffix("hash"))
      && words.contains { name.contains($0) }
  }

  /// Names of events are texts, and the same ones come again.
  private static func mayBeNames(_ place: SketchPlace) -> Bool {
    place.texts > 0 && (place.count <= 10 || place.distinct * 2 <= place.count)
  }

  private static func namesPermission(_ place: SketchPlace) -> Bool {
    let words = ["push", "permission", "prompt", "primer", "notification", "granted", "denied"]
    return place.values.contains { value in words.contains { value.lowercased().contains($0) } }
  }
}

/// Names by which a draft guesses what is at a place, the better ones first: in lower case, without what is between words.
enum DraftNames {
  /// A permission belongs to an install, so that devices come before accounts.
  static let devices = wordList(
    """
    installid installationid installuuid deviceid deviceuuid userpseudoid appinstanceid idfv vendorid anonymousid
    distinctid objectid subscriptionid clientid visitorid device install
    """)
  static let accounts = wordList(
    """
    userid useruuid uid accountid accountuuid externaluserid externalid customerid memberid subscriberid profileid
    personid identity userkey user account customer member who
    """)
  /// Ids of something else.
  static let noUsers = wordSet(
    """
    eventid sessionid appid adid idfa insertid messageid appgroupid campaignid requestid devicetype devicemodel
    username
    """)
  static let events = wordList(
    "eventname event eventtype action activity eventkind actionname what verb kind name type")
  static let times = wordList(
    """
    occurredat eventtime eventtimestamp clienttimestamp clienttime devicetime timestampms timestamp timems time ts
    happenedat loggedat datetime eventdate date when sentat createdat receivedat
    """)
  static let ids = wordList("insertid eventuuid messageid eventid uuid guid id rowid recordid")
  static let properties = wordSet(
    """
    properties props eventproperties eventprops eventparams params parameters attributes attrs data payload details
    metadata message extra custom
    """)
  /// Keys of `fields`, with the names of their places.
  static let fields: [(key: String, names: [String])] = [
    ("permission", ["permission", "permissiontype", "permissionname"]),
    ("variant", ["variant", "messagevariant", "promptvariant", "experimentvariant", "variation", "copyid", "copy"]),
    ("experiment", ["experiment", "experimentname", "experimentid", "testname"]),
    ("status", ["status", "state", "authorizationstatus", "permissionstatus", "permissionstate"]),
    ("result", ["result", "outcome", "response", "choice", "answer", "decision", "granted", "allowed"]),
    ("source", ["source", "from"]),
    ("surface", ["surface", "placement", "trigger"]),
    ("screen", ["screen", "screenname", "page"]),
    ("button", ["button", "buttonname", "buttontext", "cta"]),
    ("feature", ["feature", "featurename"]),
    ("app_version", ["appversion", "appinfoversion", "appversionname", "versionname", "clientversion", "version"]),
    ("os_version", ["osversion", "systemversion", "operatingsystemversion"]),
    ("platform", ["platform", "os", "osname", "operatingsystem"]),
    ("locale", ["locale", "language", "lang", "devicelanguage"]),
    ("country", ["country", "countrycode", "geocountry", "countryiso"]),
  ]
}
