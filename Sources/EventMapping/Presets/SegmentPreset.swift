// Segment: S3 archive and batch bodies.

extension Presets {
  static let segment = """
    # Segment: S3 archive (one call a line) and batch bodies.
    record:
      form: json
      recognise:
        - [/type, /messageId]
        - [/type, /anonymousId, /timestamp]
        - [/type, /userId, /timestamp]
        - [/type, /anonymousId, /originalTimestamp]
      # A call without an event (identify, group, alias, screen, page) goes by its type.
      event: [/event, /type]
      user: [/anonymousId, /context/device/id, /userId]
      account: [/userId, /anonymousId, /context/device/id]
      # The device's clock, corrected: receivedAt - (sentAt - originalTimestamp).
      time: {from: [/timestamp, /originalTimestamp, /receivedAt, /sentAt]}
      id: /messageId
      properties: [/properties]
    fields:
    \(indented(commonFields))
      screen: [/name, screen_name, screen, name, page]
      app_version: /context/app/version
      os_version: /context/os/version
      platform: /context/os/name
      locale: /context/locale
      country: /context/location/country
    \(ending("/event"))
    \(active(["Application Opened", "Application Foregrounded", "Application Installed", "Application Updated", "screen",
      "page", "Session Started", "session_start"],
      ignored: ["identify", "group", "alias", "Application Backgrounded", "Application Uninstalled"]))
    """
}
