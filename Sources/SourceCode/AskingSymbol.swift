// The symbols of Apple's frameworks whose call makes the system ask a person for a permission.

/// A method, a type or a function of Apple that asks.
public struct AskingSymbol: Sendable, Hashable {
  /// How it is recognised.
  enum Form: Sendable, Hashable {
    /// A method of Swift, after a dot.
    case method
    /// The first part of a message of Objective-C.
    case message
    /// A type of both languages that asks as soon as there is a value of it.
    case type
    /// A function of both languages.
    case function
  }

  package let name: String
  let form: Form
  /// Types of which it is the method: one of them is named in the call, or is the type of a variable of the same file. Empty if
  /// no other method is called like this.
  let receivers: [String]
  /// Types whose method it is, if no other method is called like this.
  let owners: [String]
  /// The label of the argument that the rest is about, which must be there; nil for the first argument.
  let label: String?
  /// Another method of that name has this label.
  let unless: String?
  /// The permission by a word of that argument. Empty if it does not decide.
  let byWord: [Choice]
  /// What it asks for if no word decides. Several if that depends on more than the call shows.
  let permissions: [String]
  /// Apple's page about it.
  public let source: String

  struct Choice: Sendable, Hashable {
    let word, permission: String
  }

  private init(
    _ form: Form, _ name: String, of receivers: [String] = [], owners: [String] = [], label: String? = nil,
    unless: String? = nil,
    by byWord: [Choice] = [],
    asks permissions: [String], page: String
  ) {
    (self.name, self.form, self.receivers, self.label, self.unless) = (name, form, receivers, label, unless)
    self.owners = owners
    (self.byWord, self.permissions) = (byWord, permissions)
    source = "https://developer.apple.com/documentation/" + page
  }

  private static func choices(_ pairs: KeyValuePairs<String, String>) -> [Choice] {
    pairs.map { Choice(word: $0.key, permission: $0.value) }
  }

  /// Whether a closure may be its only argument: `requestRecordPermission { … }`.
  var takesClosure: Bool { !source.hasSuffix("()") }

  /// Whether a name has the capitals before it by which Apple's frameworks are known, so that no other type is called like it.
  static func isOfApple(_ type: String) -> Bool { type.prefix { $0.isUppercase }.count >= 3 }

  /// Modules of which a file that calls it imports one; empty for a function, whose name is like no other.
  package var modules: [String] {
    guard form != .function else { return [] }
    let page = source.split(separator: "/").dropFirst(3).first.map(String.init) ?? ""
    return [page] + (Self.umbrellas[page] ?? [])
  }

  /// Modules that bring another one, in small letters.
  private static let umbrellas = [
    "avfaudio": ["avfoundation", "avkit", "speech", "arkit"], "avfoundation": ["avkit", "speech", "arkit"],
    "corelocation": ["mapkit", "corelocationui"],
    "photos": ["photosui"], "contacts": ["contactsui"], "eventkit": ["eventkitui"], "healthkit": ["healthkitui"],
    "swiftui": ["healthkitui"], "mediaplayer": ["storekit"], "foundation": ["uikit", "swiftui", "appkit"],
    "uikit": ["swiftui"],
  ]

  /// Every permission that it can ask for.
  public var allPermissions: [String] {
    var all = permissions
    for choice in byWord where !all.contains(choice.permission) { all.append(choice.permission) }
    return all
  }

  /// A line of code that calls it.
  package var example: (language: SourceLanguage, code: String) {
    let argument = (label.map { $0 + ": " } ?? "") + (byWord.first.map { ".\($0.word)" } ?? "[x]")
    switch form {
    case .method: return (.swift, "import \(modules[0])\n\(receivers.first ?? "x").\(name)(\(argument))")
    case .message:
      let second = label.map { $0 == name ? "" : " \($0):x" } ?? ""
      return (
        .objectiveC,
        "@import \(modules[0]);\n[\(receivers.first ?? "x") \(name):\(byWord.first?.word ?? "[NSSet setWithObject:x]")\(second)];"
      )
    case .type, .function: return (.swift, (modules.first.map { "import \($0)\n" } ?? "") + "\(name)(\(argument))")
    }
  }

  /// Types whose variables are looked for.
  static let receivers = Set(all.flatMap(\.receivers))

  static let byName = Dictionary(grouping: all, by: \.name)

  private static let media = choices([
    "video": "camera", "audio": "microphone", "AVMediaTypeVideo": "camera", "AVMediaTypeAudio": "microphone",
  ])
  private static let entities = choices([
    "event": "calendars", "reminder": "reminders", "EKEntityTypeEvent": "calendars",
    "EKEntityTypeReminder": "reminders",
  ])
  private static let photos = choices([
    "addOnly": "photo_library_add", "readWrite": "photo_library", "PHAccessLevelAddOnly": "photo_library_add",
    "PHAccessLevelReadWrite": "photo_library",
  ])

  private static let rooms = choices([
    "worldSensing": "world_sensing", "handTracking": "hand_tracking", "cameraAccess": "main_camera",
    "accessoryTracking": "accessory_tracking",
  ])

  /// Methods of Swift with the messages of Objective-C beside them, types and functions, by permission. The pages are Apple's, as of 2026.
  public static let all: [AskingSymbol] = [
    // Camera and microphone.
    AskingSymbol(
      .method, "requestAccess", of: ["AVCaptureDevice"], label: "for", by: media, asks: ["camera", "microphone"],
      page: "avfoundation/avcapturedevice/requestaccess(for:completionhandler:)"),
    AskingSymbol(
      .message, "requestAccessForMediaType", by: media, asks: ["camera", "microphone"],
      page: "avfoundation/avcapturedevice/requestaccess(for:completionhandler:)"),
    AskingSymbol(
      .method, "requestRecordPermission", owners: ["AVAudioSession", "AVAudioApplication"], asks: ["microphone"],
      page: "avfaudio/avaudioapplication/requestrecordpermission(completionhandler:)"),
    AskingSymbol(
      .message, "requestRecordPermission", owners: ["AVAudioSession"], asks: ["microphone"],
      page: "avfaudio/avaudiosession/requestrecordpermission(_:)"),
    AskingSymbol(
      .message, "requestRecordPermissionWithCompletionHandler", asks: ["microphone"],
      page: "avfaudio/avaudioapplication/requestrecordpermission(completionhandler:)"),

    // Photos.
    AskingSymbol(
      .method, "requestAuthorization", of: ["PHPhotoLibrary"], label: "for", by: photos, asks: ["photo_library"],
      page: "photos/phphotolibrary/requestauthorization(for:handler:)"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["PHPhotoLibrary"], unless: "for", asks: ["photo_library"],
      page: "photos/phphotolibrary/requestauthorization(_:)"),
    AskingSymbol(
      .message, "requestAuthorization", of: ["PHPhotoLibrary"], asks: ["photo_library"],
      page: "photos/phphotolibrary/requestauthorization(_:)"),
    AskingSymbol(
      .message, "requestAuthorizationForAccessLevel", by: photos, asks: ["photo_library"],
      page: "photos/phphotolibrary/requestauthorization(for:handler:)"),
    AskingSymbol(
      .function, "UIImageWriteToSavedPhotosAlbum", asks: ["photo_library_add"],
      page: "uikit/uiimagewritetosavedphotosalbum(_:_:_:_:)"),
    AskingSymbol(
      .function, "UISaveVideoAtPathToSavedPhotosAlbum", asks: ["photo_library_add"],
      page: "uikit/uisavevideoatpathtosavedphotosalbum(_:_:_:_:)"),

    // Location.
    AskingSymbol(
      .method, "requestWhenInUseAuthorization", asks: ["location_when_in_use"],
      page: "corelocation/cllocationmanager/requestwheninuseauthorization()"),
    AskingSymbol(
      .message, "requestWhenInUseAuthorization", asks: ["location_when_in_use"],
      page: "corelocation/cllocationmanager/requestwheninuseauthorization()"),
    AskingSymbol(
      .method, "requestAlwaysAuthorization", asks: ["location_always"],
      page: "corelocation/cllocationmanager/requestalwaysauthorization()"),
    AskingSymbol(
      .message, "requestAlwaysAuthorization", asks: ["location_always"],
      page: "corelocation/cllocationmanager/requestalwaysauthorization()"),
    AskingSymbol(
      .type, "CLServiceSession", label: "authorization",
      by: choices(["whenInUse": "location_when_in_use", "always": "location_always", "none": ""]),
      asks: ["location_when_in_use", "location_always"], page: "corelocation/clservicesession-pt7n"),

    // Contacts, calendars, reminders.
    AskingSymbol(
      .method, "requestAccess", of: ["CNContactStore"], label: "for", by: choices(["contacts": "contacts"]),
      asks: ["contacts"],
      page: "contacts/cncontactstore/requestaccess(for:completionhandler:)"),
    AskingSymbol(
      .message, "requestAccessForEntityType", by: choices(["CNEntityTypeContacts": "contacts"]), asks: ["contacts"],
      page: "contacts/cncontactstore/requestaccess(for:completionhandler:)"),
    AskingSymbol(
      .function, "ABAddressBookRequestAccessWithCompletion", asks: ["contacts"],
      page: "addressbook/abaddressbookrequestaccesswithcompletion(_:_:)"),
    AskingSymbol(
      .method, "requestAccess", of: ["EKEventStore"], label: "to", by: entities, asks: ["calendars", "reminders"],
      page: "eventkit/ekeventstore/requestaccess(to:completion:)"),
    AskingSymbol(
      .message, "requestAccessToEntityType", by: entities, asks: ["calendars", "reminders"],
      page: "eventkit/ekeventstore/requestaccess(to:completion:)"),
    AskingSymbol(
      .method, "requestFullAccessToEvents", asks: ["calendars"],
      page: "eventkit/ekeventstore/requestfullaccesstoevents(completion:)"),
    AskingSymbol(
      .message, "requestFullAccessToEventsWithCompletion", asks: ["calendars"],
      page: "eventkit/ekeventstore/requestfullaccesstoevents(completion:)"),
    AskingSymbol(
      .method, "requestWriteOnlyAccessToEvents", asks: ["calendars_write_only"],
      page: "eventkit/ekeventstore/requestwriteonlyaccesstoevents(completion:)"),
    AskingSymbol(
      .message, "requestWriteOnlyAccessToEventsWithCompletion", asks: ["calendars_write_only"],
      page: "eventkit/ekeventstore/requestwriteonlyaccesstoevents(completion:)"),
    AskingSymbol(
      .method, "requestFullAccessToReminders", asks: ["reminders"],
      page: "eventkit/ekeventstore/requestfullaccesstoreminders(completion:)"),
    AskingSymbol(
      .message, "requestFullAccessToRemindersWithCompletion", asks: ["reminders"],
      page: "eventkit/ekeventstore/requestfullaccesstoreminders(completion:)"),

    // Devices near by.
    AskingSymbol(.type, "CBCentralManager", asks: ["bluetooth"], page: "corebluetooth/cbcentralmanager"),
    AskingSymbol(.type, "CBPeripheralManager", asks: ["bluetooth"], page: "corebluetooth/cbperipheralmanager"),
    AskingSymbol(.type, "HMHomeManager", asks: ["homekit"], page: "homekit/hmhomemanager"),
    AskingSymbol(
      .method, "run", of: ["NISession"], asks: ["nearby_interaction"], page: "nearbyinteraction/nisession/run(_:)"),
    AskingSymbol(
      .message, "runWithConfiguration", of: ["NISession"], asks: ["nearby_interaction"],
      page: "nearbyinteraction/nisession/run(_:)"),

    // The person.
    AskingSymbol(
      .method, "evaluatePolicy", label: "localizedReason", asks: ["face_id"],
      page: "localauthentication/lacontext/evaluatepolicy(_:localizedreason:reply:)"),
    AskingSymbol(
      .message, "evaluatePolicy", label: "localizedReason", asks: ["face_id"],
      page: "localauthentication/lacontext/evaluatepolicy(_:localizedreason:reply:)"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["HKHealthStore"], label: "toShare", asks: ["health_write"],
      page: "healthkit/hkhealthstore/requestauthorization(toshare:read:completion:)"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["HKHealthStore"], label: "read", asks: ["health_read"],
      page: "healthkit/hkhealthstore/requestauthorization(toshare:read:completion:)"),
    AskingSymbol(
      .message, "requestAuthorizationToShareTypes", label: "requestAuthorizationToShareTypes", asks: ["health_write"],
      page: "healthkit/hkhealthstore/requestauthorization(toshare:read:completion:)"),
    AskingSymbol(
      .message, "requestAuthorizationToShareTypes", label: "readTypes", asks: ["health_read"],
      page: "healthkit/hkhealthstore/requestauthorization(toshare:read:completion:)"),
    AskingSymbol(
      .method, "requestPerObjectReadAuthorization", asks: ["health_read"],
      page: "healthkit/hkhealthstore/requestperobjectreadauthorization(for:predicate:completion:)"),
    AskingSymbol(
      .method, "healthDataAccessRequest", label: "shareTypes", asks: ["health_write"],
      page: "swiftui/view/healthdataaccessrequest(store:sharetypes:readtypes:trigger:completion:)"),
    AskingSymbol(
      .method, "healthDataAccessRequest", label: "readTypes", asks: ["health_read"],
      page: "swiftui/view/healthdataaccessrequest(store:readtypes:trigger:completion:)"),
    AskingSymbol(
      .method, "queryPedometerData", label: "from", asks: ["motion"],
      page: "coremotion/cmpedometer/querypedometerdata(from:to:withhandler:)"),
    AskingSymbol(
      .message, "queryPedometerDataFromDate", asks: ["motion"],
      page: "coremotion/cmpedometer/querypedometerdata(from:to:withhandler:)"),
    AskingSymbol(
      .method, "startUpdates", of: ["CMPedometer"], label: "from", asks: ["motion"],
      page: "coremotion/cmpedometer/startupdates(from:withhandler:)"),
    AskingSymbol(
      .message, "startPedometerUpdatesFromDate", asks: ["motion"],
      page: "coremotion/cmpedometer/startupdates(from:withhandler:)"),
    AskingSymbol(
      .method, "startActivityUpdates", label: "to", asks: ["motion"],
      page: "coremotion/cmmotionactivitymanager/startactivityupdates(to:withhandler:)"),
    AskingSymbol(
      .message, "startActivityUpdatesToQueue", asks: ["motion"],
      page: "coremotion/cmmotionactivitymanager/startactivityupdates(to:withhandler:)"),
    AskingSymbol(
      .method, "queryActivityStarting", label: "from", asks: ["motion"],
      page: "coremotion/cmmotionactivitymanager/queryactivitystarting(from:to:to:withhandler:)"),
    AskingSymbol(
      .message, "queryActivityStartingFromDate", asks: ["motion"],
      page: "coremotion/cmmotionactivitymanager/queryactivitystarting(from:to:to:withhandler:)"),
    AskingSymbol(
      .method, "startRelativeAltitudeUpdates", label: "to", asks: ["motion"],
      page: "coremotion/cmaltimeter/startrelativealtitudeupdates(to:withhandler:)"),
    AskingSymbol(
      .message, "startRelativeAltitudeUpdatesToQueue", asks: ["motion"],
      page: "coremotion/cmaltimeter/startrelativealtitudeupdates(to:withhandler:)"),

    // The rest.
    AskingSymbol(
      .method, "requestAuthorization", of: ["SFSpeechRecognizer"], asks: ["speech"],
      page: "speech/sfspeechrecognizer/requestauthorization(_:)"),
    AskingSymbol(
      .message, "requestAuthorization", of: ["SFSpeechRecognizer"], asks: ["speech"],
      page: "speech/sfspeechrecognizer/requestauthorization(_:)"),
    AskingSymbol(
      .method, "requestTrackingAuthorization", owners: ["ATTrackingManager"], asks: ["tracking"],
      page: "apptrackingtransparency/attrackingmanager/requesttrackingauthorization(completionhandler:)"),
    AskingSymbol(
      .message, "requestTrackingAuthorizationWithCompletionHandler", asks: ["tracking"],
      page: "apptrackingtransparency/attrackingmanager/requesttrackingauthorization(completionhandler:)"),
    AskingSymbol(
      .method, "requestSiriAuthorization", owners: ["INPreferences"], asks: ["siri"],
      page: "intents/inpreferences/requestsiriauthorization(_:)"),
    AskingSymbol(
      .message, "requestSiriAuthorization", asks: ["siri"], page: "intents/inpreferences/requestsiriauthorization(_:)"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["MPMediaLibrary", "SKCloudServiceController"], asks: ["media_library"],
      page: "mediaplayer/mpmedialibrary/requestauthorization(_:)"),
    AskingSymbol(
      .message, "requestAuthorization", of: ["MPMediaLibrary", "SKCloudServiceController"], asks: ["media_library"],
      page: "mediaplayer/mpmedialibrary/requestauthorization(_:)"),
    AskingSymbol(
      .method, "request", of: ["MusicAuthorization"], asks: ["media_library"],
      page: "musickit/musicauthorization/request()"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["INFocusStatusCenter"], asks: ["focus_status"],
      page: "intents/infocusstatuscenter/requestauthorization(completionhandler:)"),
    AskingSymbol(
      .message, "requestAuthorizationWithCompletionHandler", of: ["INFocusStatusCenter"], asks: ["focus_status"],
      page: "intents/infocusstatuscenter/requestauthorization(completionhandler:)"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["UNUserNotificationCenter"], label: "options", asks: ["notifications"],
      page: "usernotifications/unusernotificationcenter/requestauthorization(options:completionhandler:)"),
    AskingSymbol(
      .message, "requestAuthorizationWithOptions", asks: ["notifications"],
      page: "usernotifications/unusernotificationcenter/requestauthorization(options:completionhandler:)"),
    AskingSymbol(
      .method, "registerUserNotificationSettings", asks: ["notifications"],
      page: "uikit/uiapplication/registerusernotificationsettings(_:)"),
    AskingSymbol(
      .message, "registerUserNotificationSettings", asks: ["notifications"],
      page: "uikit/uiapplication/registerusernotificationsettings(_:)"),

    // Kinds of 2026.
    AskingSymbol(
      .method, "requestTemporaryFullAccuracyAuthorization", asks: ["location_temporary_accuracy"],
      page: "corelocation/cllocationmanager/requesttemporaryfullaccuracyauthorization(withpurposekey:completion:)"),
    AskingSymbol(
      .message, "requestTemporaryFullAccuracyAuthorizationWithPurposeKey", asks: ["location_temporary_accuracy"],
      page: "corelocation/cllocationmanager/requesttemporaryfullaccuracyauthorization(withpurposekey:completion:)"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["AlarmManager"], asks: ["alarms"],
      page: "alarmkit/alarmmanager/requestauthorization()"),
    AskingSymbol(
      .method, "requestAgeRange", asks: ["age_range"],
      page: "declaredagerange/agerangeservice"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["AuthorizationCenter"], asks: ["family_controls"],
      page: "familycontrols/authorizationcenter/requestauthorization(for:)"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["FinanceStore"], asks: ["financial_data"],
      page: "financekit/financestore/requestauthorization()"),
    AskingSymbol(
      .method, "requestDocument", asks: ["identity_document"],
      page: "passkit/pkidentityauthorizationcontroller/requestdocument(_:completion:)"),
    AskingSymbol(
      .method, "loadFriends", of: ["GKLocalPlayer"], asks: ["game_center_friends"],
      page: "gamekit/gklocalplayer/loadfriends(_:)"),
    AskingSymbol(
      .message, "loadFriends", of: ["GKLocalPlayer"], asks: ["game_center_friends"],
      page: "gamekit/gklocalplayer/loadfriends(_:)"),
    AskingSymbol(
      .type, "NFCNDEFReaderSession", asks: ["nfc"],
      page: "corenfc/nfcndefreadersession"),
    AskingSymbol(
      .type, "NFCTagReaderSession", asks: ["nfc"],
      page: "corenfc/nfctagreadersession"),
    AskingSymbol(
      .type, "NFCVASReaderSession", asks: ["nfc"],
      page: "corenfc/nfcvasreadersession"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["CMFallDetectionManager"], asks: ["fall_detection"],
      page: "coremotion/cmfalldetectionmanager/requestauthorization(handler:)"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["SRSensorReader", "SRAuthorizationStatus"], asks: ["sensorkit"],
      page: "sensorkit/srsensorreader/requestauthorization(sensors:completion:)"),
    AskingSymbol(
      .message, "requestAuthorizationForSensors", asks: ["sensorkit"],
      page: "sensorkit/srsensorreader/requestauthorization(sensors:completion:)"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["MSCriticalSMSMessenger"], asks: ["critical_messaging"],
      page: "messages/mscriticalmessagingauthorizationstatus"),
    AskingSymbol(
      .method, "requestAuthorization", of: ["ARKitSession"], label: "for", by: rooms,
      asks: ["world_sensing", "hand_tracking", "main_camera", "accessory_tracking"],
      page: "arkit/arkitsession/requestauthorization(for:)"),
    AskingSymbol(
      .type, "JournalingSuggestionsPicker", asks: ["journaling_suggestions"],
      page: "journalingsuggestions/journalingsuggestionspicker"),
    AskingSymbol(
      .method, "showPicker", of: ["ASAccessorySession"], asks: ["accessory_setup"],
      page: "accessorysetupkit/asaccessorysession"),
    AskingSymbol(
      .function, "CGRequestScreenCaptureAccess", asks: ["screen_capture"],
      page: "coregraphics/cgrequestscreencaptureaccess()"),
  ]

  /// Names that an app hardly uses without asking for one of these.
  static let uses: [String: [String]] = [
    "AVCaptureSession": ["camera"], "AVCaptureDeviceInput": ["camera"], "ARSession": ["camera"],
    "ARSCNView": ["camera"], "VNDocumentCameraViewController": ["camera"], "DataScannerViewController": ["camera"],
    "RoomCaptureView": ["camera"], "RoomCaptureSession": ["camera"], "AVAudioRecorder": ["microphone"],
    "PHPhotoLibrary": ["photo_library", "photo_library_add"],
    "CLLocationManager": ["location_when_in_use", "location_always"], "CNContactStore": ["contacts"],
    "EKEventStore": ["calendars", "calendars_write_only", "reminders"],
    "HKHealthStore": ["health_read", "health_write"], "CMPedometer": ["motion"],
    "CMMotionActivityManager": ["motion"], "CMAltimeter": ["motion"], "SFSpeechRecognizer": ["speech"],
    "MPMediaQuery": ["media_library"], "LAContext": ["face_id"], "ATTrackingManager": ["tracking"],
  ]

  /// Names of the frameworks with whose use the system may ask without a call for it. Code that has one may ask for these permissions.
  static let mentions: [String: [String]] = [
    "AVCaptureDevice": ["camera", "microphone"], "AVCaptureDeviceInput": ["camera", "microphone"],
    "AVCaptureSession": ["camera", "microphone"], "UIImagePickerController": ["camera", "microphone", "photo_library"],
    "ARSession": ["camera", "microphone"], "ARView": ["camera"], "ARSCNView": ["camera"],
    "RoomCaptureView": ["camera"], "RoomCaptureSession": ["camera"], "ObjectCaptureSession": ["camera"],
    "kAudioUnitSubType_RemoteIO": ["microphone"], "kAudioUnitSubType_VoiceProcessingIO": ["microphone"],
    "ABAddressBookCreateWithOptions": ["contacts"], "VNDocumentCameraViewController": ["camera"],
    "DataScannerViewController": ["camera"],
    "AVAudioRecorder": ["microphone"], "AVAudioEngine": ["microphone"], "AVAudioSession": ["microphone"],
    "AVAudioApplication": ["microphone"], "AudioQueueNewInput": ["microphone"], "RPScreenRecorder": ["microphone"],
    "PHPhotoLibrary": ["photo_library", "photo_library_add"], "PHAsset": ["photo_library"],
    "ALAssetsLibrary": ["photo_library"], "UIActivityViewController": ["photo_library_add"],
    "ShareLink": ["photo_library_add"], "WKWebView": ["camera", "microphone", "location_when_in_use"],
    "CLLocationManager": ["location_when_in_use", "location_always"], "CLLocationUpdate": ["location_when_in_use"],
    "CLMonitor": ["location_when_in_use", "location_always"], "LocationButton": ["location_when_in_use"],
    "CLBackgroundActivitySession": ["location_when_in_use"], "CLLocationButton": ["location_when_in_use"],
    "MKMapView": ["location_when_in_use"], "MapUserLocationButton": ["location_when_in_use"],
    "CNContactStore": ["contacts"], "ContactAccessButton": ["contacts"], "ABAddressBook": ["contacts"],
    "EKEventStore": ["calendars", "calendars_write_only", "reminders"],
    "EKEventEditViewController": ["calendars", "calendars_write_only"],
    "CBCentralManager": ["bluetooth"], "CBPeripheralManager": ["bluetooth"], "CoreBluetooth": ["bluetooth"],
    "ExternalAccessory": ["bluetooth"], "LAContext": ["face_id"], "LARight": ["face_id"],
    "SecAccessControlCreateWithFlags": ["face_id"], "LocalAuthentication": ["face_id"],
    "HKHealthStore": ["health_read", "health_write"], "HealthKit": ["health_read", "health_write"],
    "CMPedometer": ["motion"], "CMMotionActivityManager": ["motion"], "CMAltimeter": ["motion"],
    "CMSensorRecorder": ["motion"], "CMHeadphoneMotionManager": ["motion"], "CMMotionManager": ["motion"],
    "CMMovementDisorderManager": ["motion"], "CMStepCounter": ["motion"], "CoreMotion": ["motion"],
    "SFSpeechRecognizer": ["speech"], "SpeechTranscriber": ["speech"], "Speech": ["speech"],
    "ATTrackingManager": ["tracking"], "AppTrackingTransparency": ["tracking"],
    "NWBrowser": ["local_network"], "NWListener": ["local_network"], "NWConnection": ["local_network"],
    "NWConnectionGroup": ["local_network"], "NetService": ["local_network"], "NetServiceBrowser": ["local_network"],
    "NSNetService": ["local_network"], "NSNetServiceBrowser": ["local_network"],
    "MultipeerConnectivity": ["local_network"], "DNSServiceBrowse": ["local_network"],
    "GCDAsyncUdpSocket": ["local_network"], "URLSession": ["local_network"], "NSURLSession": ["local_network"],
    "INPreferences": ["siri"], "Intents": ["siri"], "MPMediaLibrary": ["media_library"],
    "MPMediaQuery": ["media_library"], "MPMediaPickerController": ["media_library"], "MusicKit": ["media_library"],
    "MusicAuthorization": ["media_library"], "SKCloudServiceController": ["media_library"],
    "MPMusicPlayerController": ["media_library"], "HMHomeManager": ["homekit"], "HomeKit": ["homekit"],
    "HMAccessorySetupManager": ["homekit"], "NISession": ["nearby_interaction"],
    "NearbyInteraction": ["nearby_interaction"], "INFocusStatusCenter": ["focus_status"],
    "UNUserNotificationCenter": ["notifications"], "AlarmKit": ["alarms"], "AlarmManager": ["alarms"],
    "DeclaredAgeRange": ["age_range"], "FamilyControls": ["family_controls"], "FinanceKit": ["financial_data"],
    "PassKit": ["identity_document"], "HKClinicalType": ["health_clinical"], "clinicalType": ["health_clinical"],
    "HKClinicalRecord": ["health_clinical"], "GameKit": ["game_center_friends"], "CoreNFC": ["nfc"],
    "SensorKit": ["sensorkit"], "VideoSubscriberAccount": ["tv_provider"], "VSAccountManager": ["tv_provider"],
    "ARKitSession": ["world_sensing", "hand_tracking", "main_camera", "accessory_tracking"],
    "AccessorySetupKit": ["accessory_setup"], "JournalingSuggestions": ["journaling_suggestions"],
    "ScreenCaptureKit": ["screen_capture"], "CMFallDetectionManager": ["fall_detection"],
    "MSCriticalSMSMessenger": ["critical_messaging"],
  ]
}
