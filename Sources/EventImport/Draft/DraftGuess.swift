// Guesses the role of each path of a file: by its name first, by its values if they are clearer.

import EventMapping
import PermissionEvents

/// The guesses about a file, each with alternative paths.
struct DraftGuess {
  /// Best first.
  let times: [SketchPath]
  let devices: [SketchPath]
  let accounts: [SketchPath]
  let events: [SketchPath]
  let ids: [SketchPath]
  let properties: [[String]]
  /// Keys of a mapping's `fields` with their paths.
  let fields: [(key: String, places: [SketchPath])]

  /// - Parameter install: the column of the install, by the letters of its name, if that is known.
  init(_ sketch: HeadSketch, install: String? = nil) {
    let places = sketch.places.filter { $0.count > 0 }
    times = Self.ranked(places.filter { $0.time != nil }) { place in
      let rank =
        Self.rank(place, DraftNames.times)
        ?? (Self.soundsLikeTime(place) ? 100 : place.texts > 0 && place.time != .digits ? 200 : nil)
      // A day is better than nothing alone.
      return place.time?.isDateAlone == true ? rank.map { $0 + 300 } : rank
    }
    let records = sketch.records
    let others = places.filter { $0.time == nil && !DraftNames.noUsers.contains($0.squashed) }
    devices = Self.ranked(others.filter { !Self.isModel($0) }) { place in
      let rank =
        place.squashed == install
        ? 0
        : Self.rank(place, DraftNames.devices) ?? (Self.isID(place, of: DraftNames.deviceWords) ? 200 : nil)
          ?? (Self.looksLikeInstalls(place) ? 300 : nil)
      // A filled path comes before one with a better name.
      return rank.map { place.isFilled(of: records) ? $0 : $0 + 1000 }
    }
    let known = Set(devices.map(\.path))
    accounts = Self.ranked(others.filter { !known.contains($0.path) }) { place in
      let rank =
        Self.rank(place, DraftNames.accounts)
        ?? (Self.isID(place, of: ["user", "account", "customer", "member", "person"]) ? 200 : nil)
      return rank.map { place.isFilled(of: records) ? $0 : $0 + 1000 }
    }
    let users = known.union(accounts.map(\.path))
    events = Self.ranked(others.filter { !users.contains($0.path) && Self.mayBeNames($0) }) { place in
      guard place.ownName == nil else { return nil }
      // Headings are in all languages.
      guard let rank = Self.rank(place, DraftNames.events) else {
        return place.mostly { EventReading.looksLikePermission(NormalName($0)) } ? 200 : nil
      }
      return Self.namesPermission(place) ? rank : rank + 100
    }
    ids = Self.ranked(places.filter { $0.isUnique && $0.time == nil && !users.contains($0.path) }) { place in
      place.ownName == nil ? Self.rank(place, DraftNames.ids) : nil
    }
    properties = Self.objects(places)
    let taken = users.union([times.first, events.first, ids.first].compactMap { $0?.path })
    fields = Self.fields(places.filter { !taken.contains($0.path) })
  }

  private static func objects(_ places: [SketchPath]) -> [[String]] {
    var objects: [[String]] = []
    for place in places {
      for depth in 1..<max(1, place.path.count) {
        let path = Array(place.path.prefix(depth))
        if DraftNames.properties.contains(SketchPath.squash(path.last ?? "")), !objects.contains(path) {
          objects.append(path)
        }
      }
    }
    return objects
  }

  private static func fields(_ places: [SketchPath]) -> [(key: String, places: [SketchPath])] {
    var taken: Set<[String]> = []
    var found: [(String, [SketchPath])] = []
    for (key, names) in DraftNames.fields {
      let free = places.filter { place in
        guard !taken.contains(place.path), suits(place, key) else { return false }
        // `os.version` is not an app's version.
        let isOthers = DraftNames.fields.contains { $0.key != key && $0.names.contains(place.squashedPair) }
        return place.path.count == 1 || names.contains(place.squashedPair) || !isOthers
      }
      let isTelling = DraftNames.telling.contains(key)
      // Outside the root and the properties it is a state of something, not an answer.
      let ranked = ranked(isTelling ? free.filter { $0.path.count == 1 || $0.isProperty } : free) {
        rank($0, names) ?? (holds($0, key) ? 500 : nil)
      }
      // All paths about an answer are used: an unused one might contradict it.
      let best = isTelling ? ranked : Array(ranked.prefix(1))
      if best.isEmpty { continue }
      taken.formUnion(best.map(\.path))
      found.append((key, best))
    }
    return found
  }

  /// Versions begin with a number, but a platform does not.
  private static func suits(_ place: SketchPath, _ key: String) -> Bool {
    switch key {
    case "app_version": place.looksLikeVersion
    case "os_version": place.hasDigits
    case "platform": !place.looksLikeVersion
    default: true
    }
  }

  /// By the values alone.
  private static func holds(_ place: SketchPath, _ key: String) -> Bool {
    switch key {
    case "permission": place.values.allSatisfy { PermissionWords.permission(value: $0.utf8) != nil }
    case "platform": place.values.allSatisfy { ["ios", "android", "ipados"].contains($0.lowercased()) }
    default: false
    }
  }

  /// The same machine-made ids come again and again; those of events do not.
  private static func looksLikeInstalls(_ place: SketchPath) -> Bool {
    !place.isUnique && IdentifierShape.areInstalls(place.values.map { Array($0.utf8) })
  }

  /// A column `device` may have the model of the device, not its id.
  private static func isModel(_ place: SketchPath) -> Bool {
    guard ["device", "install", "client"].contains(place.squashed) else { return false }
    let models = ["iphone", "ipad", "pixel", "sm-", "galaxy", "android", "ios", "redmi", "oneplus", "ipod", "watch"]
    return place.mostly { value in
      let text = value.lowercased()
      return text.contains(" ") || models.contains { text.hasPrefix($0) }
    }
  }

  /// The paths with a rank, in its order; of equal ones first the less deep, then the earlier.
  private static func ranked(_ places: [SketchPath], _ rank: (SketchPath) -> Int?) -> [SketchPath] {
    places.enumerated().compactMap { index, place in rank(place).map { ($0, place.path.count, index, place) } }
      .sorted { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }.map(\.3)
  }

  /// The index of the path's name in a list of names, alone or with its object, doubled: a property's own name comes
  /// after the same name of a column.
  private static func rank(_ place: SketchPath, _ names: [String]) -> Int? {
    let alone = names.firstIndex(of: place.squashed)
    let pair = place.path.count > 1 ? names.firstIndex(of: place.squashedPair) : nil
    let own = place.ownName.flatMap { names.firstIndex(of: SketchPath.squash($0)) }
    return ([alone, pair].compactMap { $0.map { $0 * 2 } } + [own].compactMap { $0.map { $0 * 2 + 1 } }).min()
  }

  private static func soundsLikeTime(_ place: SketchPath) -> Bool {
    let name = place.squashed
    return name.hasSuffix("at") || name.contains("time") || name.contains("date")
  }

  private static func isID(_ place: SketchPath, of words: [String]) -> Bool {
    let name = place.squashed
    return (name.hasSuffix("id") || name.hasSuffix("key") || name.hasSuffix("hash"))
      && words.contains { name.contains($0) }
  }

  /// Names of events are texts, and the same ones come again.
  private static func mayBeNames(_ place: SketchPath) -> Bool {
    place.texts > 0 && (place.count <= 10 || place.distinct * 2 <= place.count)
  }

  private static func namesPermission(_ place: SketchPath) -> Bool {
    let words = ["push", "permission", "prompt", "primer", "notification", "granted", "denied"]
    return place.values.contains { value in words.contains { value.lowercased().contains($0) } }
  }
}

/// Names by which a draft guesses the role of a path, the better ones first: in lower case, without separators between words.
enum DraftNames {
  /// A permission belongs to an install, so that devices come before accounts.
  static let devices = wordList(
    """
    installid installationid installuuid deviceid deviceuuid userpseudoid appinstanceid appsflyerid adjustid
    firebaseinstallationid instanceid idfv vendorid identifierforvendor anonymousid anonymoususerid anonid anonuserid
    distinctid objectid subscriptionid clientid visitorid androidid domainuserid guestid deviceidentifier
    device install
    """)
  static let deviceWords = ["device", "install", "anonymous", "appinstance"]
  static let accounts = wordList(
    """
    userid useruuid uid accountid accountuuid externaluserid externalid customerid memberid subscriberid profileid
    personid identity userkey user account customer member who email emailaddress useremail login phone phonenumber
    """)
  /// Ids of something else.
  static let noUsers = wordSet(
    """
    eventid sessionid appid adid idfa insertid messageid appgroupid campaignid requestid devicetype devicemodel
    username advertisingid gaid oaid imei devicename devicebrand devicetoken devicefamily devicemanufacturer
    devicecategory deviceos deviceversion
    """)
  static let events = wordList(
    "eventtext eventname event eventtype action activity eventkind actionname what verb kind name type")
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
  /// Keys of `fields` for which all paths are used.
  static let telling: Set<String> = ["status", "result", "flag", "scene"]
  /// Keys of `fields`, with the names of their paths.
  static let fields: [(key: String, names: [String])] = [
    ("permission", ["permission", "permissiontype", "permissionname", "permissions", "perm"]),
    (
      "variant",
      [
        "variant", "messagevariant", "promptvariant", "experimentvariant", "variation", "variantid", "variantname",
        "copyid", "copy",
      ]
    ),
    ("experiment", ["experiment", "experimentname", "experimentid", "testname"]),
    ("status", ["authstatus", "pushstatus", "finalstatus"] + usual(.status)),
    ("result", ["outcome"] + usual(.result)),
    ("flag", usual(.flag)),
    ("scene", usual(.scene)),
    ("source", ["source", "from"]),
    ("surface", ["surface", "placement", "trigger"]),
    ("screen", ["screen", "screenname", "page"]),
    ("button", ["button", "buttonname", "buttontext", "cta"]),
    ("feature", ["feature", "featurename"]),
    ("app_version", ["appversion", "appinfoversion", "appversionname", "versionname", "clientversion", "version"]),
    (
      "os_version",
      ["osversion", "systemversion", "operatingsystemversion", "deviceoperatingsystemversion", "deviceosversion"]
    ),
    (
      "platform",
      ["platform", "os", "osname", "operatingsystem", "deviceoperatingsystem", "deviceos", "mobileos", "devicetype"]
    ),
    ("locale", ["locale", "language", "lang", "devicelanguage"]),
    ("country", ["country", "countrycode", "geocountry", "countryiso"]),
  ]

  /// The names that are read in every export.
  private static func usual(_ field: Mapping.TellingField) -> [String] {
    (Mapping.usualTelling[field] ?? []).map { SketchPath.squash($0) }
  }
}

// MARK: Which vendor a table or flattened records come from, by the names of their columns: a preset that a draft can build on

struct DraftVendor {
  let preset: String
  /// Times that name no zone are UTC.
  let isUTC: Bool
  /// The preset knows where everything is.
  let hasRecord: Bool
  /// The column of the install, if its name does not say that it is one.
  let install: String?

  /// Nil if the file is not a vendor's.
  init?(_ sketch: HeadSketch) {
    hasRecord = sketch.knownForm?.preset != nil
    let table: Presets.Table?
    if let known = sketch.knownForm?.preset {
      preset = known
      table = try? Presets.Table(known)
    } else {
      var names: Set<String> = []
      for place in sketch.places {
        names.insert(SketchPath.squash(place.path.joined()))
        if let own = place.ownName { names.insert(SketchPath.squash(own)) }
      }
      table = Presets.table(names)
      guard let table else { return nil }
      preset = table.preset
    }
    install = table?.install
    isUTC = hasRecord || (try? Presets.mapping(preset))?.record?.zone != .project
  }
}
