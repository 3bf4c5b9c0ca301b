// Names by which a draft guesses what stands at a place, the better ones first: in lower case, without what stands
// between words.

enum DraftNames {
  /// A permission belongs to an install, so that devices come before accounts.
  static let devices = [
    "installid", "installationid", "installuuid", "deviceid", "deviceuuid", "userpseudoid", "appinstanceid", "idfv",
    "vendorid", "anonymousid", "distinctid", "objectid", "subscriptionid", "clientid", "visitorid", "device", "install",
  ]
  static let accounts = [
    "userid", "useruuid", "uid", "accountid", "accountuuid", "externaluserid", "externalid", "customerid", "memberid",
    "subscriberid", "profileid", "personid", "identity", "userkey", "user", "account", "customer", "member", "who",
  ]
  /// Ids of something else.
  static let noUsers: Set<String> = [
    "eventid", "sessionid", "appid", "adid", "idfa", "insertid", "messageid", "appgroupid", "campaignid", "requestid",
    "devicetype", "devicemodel", "username",
  ]
  static let events = [
    "eventname", "event", "eventtype", "action", "activity", "eventkind", "actionname", "what", "verb", "kind", "name",
    "type",
  ]
  static let times = [
    "occurredat", "eventtime", "eventtimestamp", "clienttimestamp", "clienttime", "devicetime", "timestampms",
    "timestamp",
    "timems", "time", "ts", "happenedat", "loggedat", "datetime", "eventdate", "date", "when", "sentat", "createdat",
    "receivedat",
  ]
  static let ids = ["insertid", "eventuuid", "messageid", "eventid", "uuid", "guid", "id", "rowid", "recordid"]
  static let properties: Set<String> = [
    "properties", "props", "eventproperties", "eventprops", "eventparams", "params", "parameters", "attributes",
    "attrs",
    "data", "payload", "details", "metadata", "message", "extra", "custom",
  ]
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
