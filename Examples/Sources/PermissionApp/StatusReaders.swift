// How an app looks up the status of each permission. Copy those that your app asks for: the App Store wants a purpose string for each
// interface that a binary refers to, whether it is called or not, so that a library must not bring them all.
//
// For iOS 18. A status that a later system adds is unknown, and nothing is recorded of it. Nobody has tried them on a phone yet. Scripts/check-recorder compiles them against the declarations that they use.
// There is no way to read `health_read`, `local_network` and `nearby_interaction`; HomeKit's is a property of its manager.

import PermissionRecorder

#if canImport(AVFoundation)
  import AVFoundation
#endif
#if canImport(AppTrackingTransparency)
  import AppTrackingTransparency
#endif
#if canImport(Contacts)
  import Contacts
#endif
#if canImport(CoreBluetooth)
  import CoreBluetooth
#endif
#if canImport(CoreLocation)
  import CoreLocation
#endif
#if canImport(CoreMotion)
  import CoreMotion
#endif
#if canImport(EventKit)
  import EventKit
#endif
#if canImport(Intents)
  import Intents
#endif
#if canImport(MediaPlayer)
  import MediaPlayer
#endif
#if canImport(Photos)
  import Photos
#endif
#if canImport(Speech)
  import Speech
#endif
#if canImport(UserNotifications)
  import UserNotifications
#endif

/// Closures for `PermissionRecorder.Configuration.readers`.
public enum StatusReaders {
  #if canImport(UserNotifications)
    @Sendable public static func notifications() async -> PermissionStatus? {
      switch await UNUserNotificationCenter.current().notificationSettings().authorizationStatus {
      case .notDetermined: .notDetermined
      case .denied: .denied
      case .authorized: .authorized
      case .provisional: .provisional
      case .ephemeral: .ephemeral
      @unknown default: nil
      }
    }
  #endif

  #if canImport(AVFoundation)
    @Sendable public static func camera() async -> PermissionStatus? {
      status(AVCaptureDevice.authorizationStatus(for: .video))
    }
    @Sendable public static func microphone() async -> PermissionStatus? {
      status(AVCaptureDevice.authorizationStatus(for: .audio))
    }

    private static func status(_ status: AVAuthorizationStatus) -> PermissionStatus? {
      switch status {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .authorized: .authorized
      @unknown default: nil
      }
    }
  #endif

  #if canImport(Photos)
    @Sendable public static func photoLibrary() async -> PermissionStatus? {
      status(PHPhotoLibrary.authorizationStatus(for: .readWrite))
    }
    @Sendable public static func photoLibraryAdd() async -> PermissionStatus? {
      status(PHPhotoLibrary.authorizationStatus(for: .addOnly))
    }

    private static func status(_ status: PHAuthorizationStatus) -> PermissionStatus? {
      switch status {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .authorized: .authorized
      case .limited: .limited
      @unknown default: nil
      }
    }
  #endif

  #if canImport(CoreLocation)
    /// The one permission that has two degrees: what is asked for in use is on with either.
    @Sendable public static func location() async -> PermissionStatus? {
      switch CLLocationManager().authorizationStatus {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .authorizedWhenInUse: .whenInUse
      case .authorizedAlways: .always
      @unknown default: nil
      }
    }
  #endif

  #if canImport(Contacts)
    @Sendable public static func contacts() async -> PermissionStatus? {
      switch CNContactStore.authorizationStatus(for: .contacts) {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .authorized: .authorized
      case .limited: .limited
      @unknown default: nil
      }
    }
  #endif

  #if canImport(EventKit)
    @Sendable public static func calendars() async -> PermissionStatus? {
      status(EKEventStore.authorizationStatus(for: .event))
    }
    @Sendable public static func reminders() async -> PermissionStatus? {
      status(EKEventStore.authorizationStatus(for: .reminder))
    }

    private static func status(_ status: EKAuthorizationStatus) -> PermissionStatus? {
      switch status {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .fullAccess: .fullAccess
      case .writeOnly: .writeOnly
      @unknown default: nil
      }
    }
  #endif

  #if canImport(CoreBluetooth)
    @Sendable public static func bluetooth() async -> PermissionStatus? {
      switch CBManager.authorization {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .allowedAlways: .authorized
      @unknown default: nil
      }
    }
  #endif

  #if canImport(CoreMotion)
    @Sendable public static func motion() async -> PermissionStatus? {
      switch CMMotionActivityManager.authorizationStatus() {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .authorized: .authorized
      @unknown default: nil
      }
    }
  #endif

  #if canImport(Speech)
    @Sendable public static func speech() async -> PermissionStatus? {
      switch SFSpeechRecognizer.authorizationStatus() {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .authorized: .authorized
      @unknown default: nil
      }
    }
  #endif

  #if canImport(AppTrackingTransparency)
    @Sendable public static func tracking() async -> PermissionStatus? {
      switch ATTrackingManager.trackingAuthorizationStatus {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .authorized: .authorized
      @unknown default: nil
      }
    }
  #endif

  #if canImport(MediaPlayer)
    @Sendable public static func mediaLibrary() async -> PermissionStatus? {
      switch MPMediaLibrary.authorizationStatus() {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .authorized: .authorized
      @unknown default: nil
      }
    }
  #endif

  #if canImport(Intents)
    @Sendable public static func siri() async -> PermissionStatus? {
      switch INPreferences.siriAuthorizationStatus() {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .authorized: .authorized
      @unknown default: nil
      }
    }
  #endif
}
