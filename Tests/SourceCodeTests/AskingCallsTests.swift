// Which calls of Swift and Objective-C ask for a permission, and what only looks like one.

import SourceCode
import Testing

/// Calls of a file that imports everything.
private func found(
  _ code: String, _ language: SourceLanguage = .swift, systems: Set<SourceSystem> = [.iOS]
) -> [AskingCall] {
  let modules = Set(AskingSymbol.all.flatMap(\.modules))
  return AskingCalls(Array(code.utf8), language, systems: systems, imports: modules).calls
}

private func asked(_ code: String, _ language: SourceLanguage = .swift) -> [[String]] {
  found(code, language).map(\.permissions)
}

@Suite struct AskingCallsTests {
  /// A call as people write it, and what it asks for; several if the call does not show which.
  static let linesOfSwift: [(String, [[String]])] = [
    ("AVCaptureDevice.requestAccess(for: .video) { _ in }", [["camera"]]),
    ("await AVCaptureDevice.requestAccess(for: AVMediaType.audio)", [["microphone"]]),
    ("AVCaptureDevice.requestAccess(for: kind) { ok in use(.video) }", [["camera", "microphone"]]),
    ("AVCaptureDevice.requestAccess(for: kind, completionHandler: { ok in use(.video) })", [["camera", "microphone"]]),
    ("AVAudioApplication.requestRecordPermission { _ in }", [["microphone"]]),
    ("AVAudioSession.sharedInstance().requestRecordPermission { _ in }", [["microphone"]]),
    ("PHPhotoLibrary.requestAuthorization { _ in }", [["photo_library"]]),
    ("PHPhotoLibrary.requestAuthorization(for: .addOnly) { _ in }", [["photo_library_add"]]),
    ("PHPhotoLibrary.requestAuthorization(for: .readWrite, handler: done)", [["photo_library"]]),
    ("UIImageWriteToSavedPhotosAlbum(image, nil, nil, nil)", [["photo_library_add"]]),
    ("manager?.requestWhenInUseAuthorization()", [["location_when_in_use"]]),
    ("self.manager.requestAlwaysAuthorization()", [["location_always"]]),
    ("let session = CLServiceSession(authorization: .always)", [["location_always"]]),
    ("let session = CLServiceSession(authorization: .none)", []),
    ("CNContactStore().requestAccess(for: .contacts) { _, _ in }", [["contacts"]]),
    ("let store = CNContactStore()\nstore.requestAccess(for: .contacts) { _, _ in }", [["contacts"]]),
    ("try await store.requestFullAccessToEvents()", [["calendars"]]),
    ("store.requestWriteOnlyAccessToEvents { _, _ in }", [["calendars_write_only"]]),
    ("store.requestFullAccessToReminders { _, _ in }", [["reminders"]]),
    ("store.requestAccess(to: .reminder) { _, _ in }", [["reminders"]]),
    ("var events: EKEventStore\nevents.requestAccess(to: kind) { _, _ in }", [["calendars", "reminders"]]),
    ("manager = CBCentralManager(delegate: self, queue: nil)", [["bluetooth"]]),
    ("manager = CBPeripheralManager.init(delegate: self, queue: nil)", [["bluetooth"]]),
    ("let homes = HMHomeManager()", [["homekit"]]),
    ("let session = NISession()\nsession.run(configuration)", [["nearby_interaction"]]),
    (
      "context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: \"\") { _, _ in }",
      [["face_id"]]
    ),
    ("store.requestAuthorization(toShare: [steps], read: [steps]) { _, _ in }", [["health_write"], ["health_read"]]),
    ("store.requestAuthorization(toShare: [], read: [.steps]) { _, _ in }", [["health_read"]]),
    ("store.requestAuthorization(toShare: nil, read: types) { _, _ in }", [["health_read"]]),
    ("SFSpeechRecognizer.requestAuthorization { _ in }", [["speech"]]),
    ("ATTrackingManager.requestTrackingAuthorization { _ in }", [["tracking"]]),
    ("INPreferences.requestSiriAuthorization { _ in }", [["siri"]]),
    ("MPMediaLibrary.requestAuthorization { _ in }", [["media_library"]]),
    ("await MusicAuthorization.request()", [["media_library"]]),
    ("INFocusStatusCenter.default.requestAuthorization { _ in }", [["focus_status"]]),
    (
      "UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .badge]) { _, _ in }",
      [["notifications"]]
    ),
    ("center.requestAuthorization(options: options)", [["notifications"]]),
    ("pedometer.queryPedometerData(from: a, to: b) { _, _ in }", [["motion"]]),
    ("lazy var central: CBCentralManager = .init(delegate: self, queue: nil)", [["bluetooth"]]),
    ("let text = \"\"\nreturn /\"\"\"/\nmanager.requestAlwaysAuthorization()", [["location_always"]]),
    (
      "manager!.requestAlwaysAuthorization()\nmanagers[0].requestAlwaysAuthorization()",
      [["location_always"], ["location_always"]]
    ),
    (
      "store.requestAuthorization(toShare: Set([steps]), read: [steps]) { _, _ in }",
      [["health_write"], ["health_read"]]
    ),
    // A variable may be empty.
    (
      "store.requestAuthorization(toShare: share, read: kinds) { _, _ in }",
      [["health_read", "health_write"], ["health_read", "health_write"]]
    ),
    ("store.requestAuthorization(toShare: Set<HKSampleType>(), read: .init()) { _, _ in }", []),
    ("store.requestAuthorization(toShare: nil as Set<HKSampleType>?, read: []) { _, _ in }", []),
    // What is no call.
    ("liveActivities.startActivityUpdates(for: order)", []), ("documents.requestAge(id: 3)", []),
    ("engine.evaluatePolicy(p, with: input)", []), ("if config.requestAlwaysAuthorization { run() }", []),
    ("if status.requestTrackingAuthorization { run() }", []), ("guard a, b.requestRecordPermission { } else {}", []),
    ("case .requestRecordPermission(let granted): break", []), ("send(.requestRecordPermission(true))", []),
    ("return .requestFullAccessToEvents(x)", []),
    ("class AlarmManager {}\nAlarmManager.shared.requestAuthorization()", []),
    ("func one(session: NISession) {}\nfunc two(session: ARSession) { session.run(c) }", []),
    (
      "func a() { let store = CNContactStore() }\nfunc b() { let store = EKEventStore(); store.requestAccess(to: .event) }",
      []
    ),
    ("let events = mocks ? mock : EKEventStore()\nmock.requestAccess(for: .contacts)", []),
    ("myHealth.requestAuthorization(read: kinds)", []), ("Permission.requestAccess(to: .other)", []),
    ("func requestWhenInUseAuthorization() {}", []),
    ("// manager.requestWhenInUseAuthorization()", []),
    ("/* a /* nested */ manager.requestWhenInUseAuthorization() */", []),
    ("let text = \"manager.requestWhenInUseAuthorization()\"", []),
    ("let text = \"\"\"\n manager.requestWhenInUseAuthorization()\n \"\"\"", []),
    ("let mark = #\"\"\"#\nmanager.requestAlwaysAuthorization()", [["location_always"]]),
    ("let text = #\"\"\"\n manager.requestAlwaysAuthorization()\n\"\"\"#", []),
    ("let text = #\"a \" manager.requestWhenInUseAuthorization() \"#", []),
    ("let found = /manager.requestWhenInUseAuthorization()/", []),
    ("let found = #/ \" /#\nmanager.requestAlwaysAuthorization()", [["location_always"]]),
    ("let half = a / b\nmanager.requestAlwaysAuthorization() / c", [["location_always"]]),
    ("let text = \"\\(manager.requestAlwaysAuthorization())\"", [["location_always"]]),
    ("let text = \"\\(name(\")\"))\"\nmanager.requestAlwaysAuthorization()", [["location_always"]]),
    ("let text = \"no end\nmanager.requestAlwaysAuthorization()", [["location_always"]]),
    ("let status = PHPhotoLibrary.authorizationStatus()", []),
    ("api.requestAccess(for: .video)", []),
    ("api.requestAuthorization(for: .readWrite)", []),
    ("let session = ARSession()\nsession.run(configuration)", []),
    ("let x: CBCentralManager", []),
    ("extension CBCentralManager {}", []),
    ("MusicAuthorization.currentStatus", []),
    ("network.request(url)", []),
  ]

  @Test("Calls of Swift are recognised, and nothing else", arguments: linesOfSwift)
  func callsOfSwift(_ code: String, _ expected: [[String]]) { #expect(asked(code) == expected) }

  static let linesOfObjectiveC: [(String, [[String]])] = [
    ("[AVCaptureDevice requestAccessForMediaType:AVMediaTypeVideo completionHandler:^(BOOL ok) {}];", [["camera"]]),
    (
      "[AVCaptureDevice requestAccessForMediaType:type completionHandler:^(BOOL ok) { [self use:AVMediaTypeVideo]; }];",
      [["camera", "microphone"]]
    ),
    ("[[AVAudioSession sharedInstance] requestRecordPermission:^(BOOL granted) {}];", [["microphone"]]),
    ("[PHPhotoLibrary requestAuthorization:^(PHAuthorizationStatus status) {}];", [["photo_library"]]),
    (
      "[PHPhotoLibrary requestAuthorizationForAccessLevel:PHAccessLevelAddOnly handler:^(PHAuthorizationStatus s) {}];",
      [["photo_library_add"]]
    ),
    ("[self.manager requestWhenInUseAuthorization];", [["location_when_in_use"]]),
    ("[store requestAccessForEntityType:CNEntityTypeContacts completionHandler:done];", [["contacts"]]),
    ("[store requestAccessToEntityType:EKEntityTypeEvent completion:done];", [["calendars"]]),
    ("[[CBCentralManager alloc] initWithDelegate:self queue:nil];", [["bluetooth"]]),
    ("HMHomeManager *homes = [HMHomeManager new];", [["homekit"]]),
    (
      "[store requestAuthorizationToShareTypes:nil readTypes:types completion:done];", [["health_read"]]
    ),
    (
      "[center requestAuthorizationWithOptions:(UNAuthorizationOptionAlert) completionHandler:done];",
      [["notifications"]]
    ),
    ("[context evaluatePolicy:policy localizedReason:reason reply:done];", [["face_id"]]),
    ("- (void)ask { [self.manager requestAlwaysAuthorization]; }", [["location_always"]]),
    ("central = [CBCentralManager.alloc initWithDelegate:self queue:nil];", [["bluetooth"]]),
    ("[store requestAuthorizationToShareTypes:[NSSet set] readTypes:NULL completion:done];", []),
    ("if ([m respondsToSelector:@selector(requestRecordPermission:)]) {}", []),
    ("[self performSelector:@selector(evaluatePolicy:localizedReason:reply:)];", []),
    ("[SFSpeechRecognizer requestAuthorization:done];", [["speech"]]),
    ("- (void)requestWhenInUseAuthorization;", []),
    ("- (void)requestAccessForMediaType:(NSString *)type completionHandler:(void (^)(BOOL))done {", []),
    ("if ([m respondsToSelector:@selector(requestWhenInUseAuthorization)]) {}", []),
    ("char c = '\"'; [m requestAlwaysAuthorization];", [["location_always"]]),
    ("NSString *s = @\"[m requestAlwaysAuthorization]\";", []),
    ("/* /* */ [m requestAlwaysAuthorization];", [["location_always"]]),
    ("CBCentralManager *manager;", []),
  ]

  @Test("Messages of Objective-C are recognised, and nothing else", arguments: linesOfObjectiveC)
  func messagesOfObjectiveC(_ code: String, _ expected: [[String]]) { #expect(asked(code, .objectiveC) == expected) }

  @Test("Every symbol is recognised as it is written, and has a page of Apple and permissions")
  func everySymbol() {
    #expect(AskingSymbol.all.count > 60)
    for symbol in AskingSymbol.all {
      let (language, code) = symbol.example
      let calls = found(code, language)
      #expect(calls.contains { $0.symbol == symbol.name && !$0.permissions.isEmpty }, "\(code)")
      #expect(calls.flatMap(\.permissions).allSatisfy { !$0.isEmpty })
      #expect(symbol.source.hasPrefix("https://developer.apple.com/documentation/"))
    }
  }

  /// What is shipped: no, yes, or only if the project says so.
  static let linesOfConditions: [(String, Bool?)] = [
    ("#if DEBUG", false), ("#if !DEBUG", true), ("#if os(iOS)", true), ("#if os(macOS)", false),
    ("#if !os(macOS) && !os(tvOS)", true), ("#if os(macOS) || FEATURE", nil), ("#if FEATURE", nil),
    ("#if FEATURE && DEBUG", false), ("#if targetEnvironment(simulator)", false), ("#if swift(>=5.9)", true),
    ("#if swift(<5.9)", false), ("#if canImport(UIKit)", true), ("#if canImport(AppKit)", false),
    ("#if canImport(Firebase)", nil), ("#if (os(iOS) || os(tvOS)) && !DEBUG // why", true), ("#if (", nil),
    ("#if true", true), ("#if os(iOS) garbage", nil), ("#if os(OSX)", false), ("#if hasFeature(Foo)", nil),
    ("#if DEBUG\n#else", true), ("#if FEATURE\n#else", nil),
    ("#if DEBUG\n#elseif os(iOS)", true), ("#if os(iOS)\n#elseif FEATURE", false), ("#if os(iOS)\n#else", false),
    ("#if DEBUG\n#if os(iOS)", false), ("#if FEATURE\n#if os(iOS)", nil), ("#if DEBUG\n#endif\n#if os(iOS)", true),
  ]

  @Test("Only lines of the app that is shipped count", arguments: linesOfConditions)
  func shippedLines(_ lines: String, _ expected: Bool?) {
    let calls = found(lines + "\nmanager.requestAlwaysAuthorization()\n#endif")
    let value: Bool? = calls.isEmpty ? false : calls.allSatisfy(\.isConditional) ? nil : true
    #expect(value == expected)
  }

  @Test("Conditions of Objective-C are read too")
  func conditionsOfC() {
    let call = "\n[m requestAlwaysAuthorization];\n#endif\n"
    #expect(found("#if TARGET_OS_OSX" + call, .objectiveC).isEmpty)
    #expect(found("#ifdef DEBUG" + call, .objectiveC).isEmpty)
    #expect(found("#ifndef DEBUG" + call, .objectiveC).map(\.isConditional) == [false])
    #expect(found("#if 0" + call, .objectiveC).isEmpty)
    #expect(found("#  if TARGET_OS_IPHONE && \\\n !TARGET_OS_TV" + call, .objectiveC).map(\.isConditional) == [false])
    #expect(found("#if __IPHONE_OS_VERSION_MAX_ALLOWED >= 80000" + call, .objectiveC).map(\.isConditional) == [true])
  }

  @Test("A library for two systems has the lines of each")
  func systems() {
    let code = "#if os(macOS)\nmanager.requestAlwaysAuthorization()\n#endif"
    #expect(found(code, systems: [.iOS, .macOS]).map(\.isConditional) == [true])
    #expect(found(code, systems: [.macOS]).map(\.isConditional) == [false])
  }

  @Test("Lines are counted through texts, comments and patterns")
  func lines() {
    let code = "/*\n\n*/ let a = \"\"\"\n\n\"\"\"\nlet b = #/\n/#\nmanager.requestAlwaysAuthorization()\n"
    #expect(found(code).map(\.line) == [8])
  }

  @Test("Names of frameworks are noted, since the system may ask when they are used")
  func mentions() {
    let found = AskingCalls(
      Array("let p = UIImagePickerController()\np.sourceType = .camera".utf8), .swift, systems: [])
    #expect(found.calls.isEmpty && found.mentioned == ["camera", "microphone", "photo_library"])
    #expect(found.uses.isEmpty)
    let session = AskingCalls(Array("\nlet a = AVCaptureSession()\nlet b: AVCaptureSession".utf8), .swift, systems: [])
    #expect(session.uses == [AskingCall("AVCaptureSession", line: 2, ["camera"])])
  }

  @Test("A call counts if the file, or its header, imports the framework; else the name may be of anything")
  func imports() {
    func calls(_ code: String, _ language: SourceLanguage = .swift, header: Set<String> = []) -> (Int, Set<String>) {
      let found = AskingCalls(Array(code.utf8), language, systems: [.iOS], imports: header)
      return (found.calls.count, found.mentioned)
    }
    let call = "manager.requestAlwaysAuthorization()"
    #expect(calls(call) == (0, ["location_always"]))
    for start in [
      "import CoreLocation", "import MapKit", "@preconcurrency import CoreLocation",
      "import class CoreLocation.CLLocationManager",
    ] {
      #expect(calls(start + "\n" + call).0 == 1, "\(start)")
    }
    #expect(calls("import\nCoreLocation\n" + call).0 == 0)
    // A type that only Apple has needs no import: SwiftUI and others bring some.
    #expect(calls("import SwiftUI\nUNUserNotificationCenter.current().requestAuthorization(options: o)").0 == 1)
    #expect(calls("AVAudioSession.sharedInstance().requestRecordPermission { _ in }").0 == 1)
    #expect(calls("CBCentralManager(delegate: self, queue: nil)").0 == 1)
    #expect(calls("AlarmManager.shared.requestAuthorization()").0 == 0)
    let message = "[manager requestAlwaysAuthorization];"
    for start in [
      "@import CoreLocation;", "#import <CoreLocation/CoreLocation.h>", "#include <CoreLocation/CLLocationManager.h>",
    ] {
      #expect(calls(start + "\n" + message, .objectiveC).0 == 1, "\(start)")
    }
    #expect(calls(message, .objectiveC).0 == 0 && calls(message, .objectiveC, header: ["corelocation"]).0 == 1)
  }

  @Test("A method that is called like Apple's may ask, wherever it is")
  func wrappers() {
    let found = AskingCalls(Array("lock.evaluatePolicy(reason: text)".utf8), .swift, systems: [])
    #expect(found.calls.isEmpty && found.mentioned == ["face_id"])
    let other = AskingCalls(Array("network.request(url)\nsession.run(x)".utf8), .swift, systems: [])
    #expect(other.mentioned.isEmpty)
  }

  @Test("A file with a text that does not end is not whole")
  func torn() {
    #expect(!AskingCalls(Array("let a = \"\"\"\nb".utf8), .swift, systems: []).isWhole)
    #expect(AskingCalls(Array("let a = \"b\nc".utf8), .swift, systems: []).isWhole)
  }

  @Test("Any bytes are read, and end", .timeLimit(.minutes(20)))
  func anyBytes() {
    var numbers = SystemRandomNumberGenerator()
    let seed = numbers.next()
    var random = Seeded(seed)
    let pieces = [
      "\"", "\"\"\"", "#", "#\"", "\\(", "(", ")", "{", "}", "[", "]", "/*", "*/", "//", "\n", "'", "/", "\\",
      "#if (", "#if !", "#else\n", "#endif\n", ".requestAccess(", "for: ", "[x requestAuthorization:",
      "CBCentralManager(",
      ".", ",", ":", "\u{e9}", "=", "HKHealthStore", "store", "\0", "requestAuthorizationToShareTypes:",
    ]
    for _ in 0..<300 {
      let code = (0..<Int(random.next() % 400)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
      for language in [SourceLanguage.swift, .objectiveC] {
        let lines = code.utf8.count { $0 == 0x0A } + 1
        for call in found(code, language) { #expect((1...lines).contains(call.line), "seed \(seed)") }
      }
    }
    // What costs most: each of these has a call in every few bytes.
    for piece in [
      ".requestAccess(for: a, ", "[x requestAuthorization:", "\"\\(", "/*", "#if FEATURE\n", "#if !(", "(((((",
    ] {
      let code = String(repeating: piece, count: 400_000 / piece.utf8.count)
      for language in [SourceLanguage.swift, .objectiveC] { _ = found(code, language) }
    }
  }
}

private struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
