// Amplitude: export API (ZIP of .json.gz), S3 export, and files whose keys were renamed for Amplitude's import.

extension Presets {
  static let amplitude = """
    # Amplitude: export API and S3 export. One JSON object a line.
    record:
      form: json
      # A file is Amplitude's where a line has all places of one of these lists.
      recognise:
        - [/event_type, /event_time]
        - [/event_type, /$insert_id]
        - [/event_type, /insert_id]
        - [/event_type, /device_id, /time]
        - [/event_type, /user_id, /time]
      # The table of merged ids comes along with S3 exports. It holds no events.
      companions:
        - [/merge_time, /amplitude_id, /merged_amplitude_id]
      event: /event_type
      user: [/device_id, /user_id, /amplitude_id]
      account: [/user_id, /device_id, /amplitude_id]
      # "2025-11-24 18:03:21.412000" has no zone and is UTC. It is the device's clock, corrected by the server.
      time: {from: [/event_time, /client_event_time, /time], zone: UTC}
      # $insert_id is unique within a device; it may be empty, then the row's own id is taken.
      id: {from: [/$insert_id, /insert_id, /uuid], within: /device_id}
      properties: [/event_properties]
    fields:
    \(indented(commonFields))
      screen: [screen_name, screen, "[Amplitude] Screen Name", page]
      app_version: [/version_name, /app_version]
      os_version: /os_version
      platform: /platform
      locale: /language
      country: /country
    \(ending("/event_type"))
    \(active(["session_start", "[Amplitude] Start Session", "[Amplitude] Application Opened",
      "[Amplitude] Application Installed", "[Amplitude] Screen Viewed", "Application Opened", "app_open", "app_opened",
      "App Opened"],
      ignored: ["$identify", "$groupidentify", "session_end", "[Amplitude] End Session",
      "[Amplitude] Application Backgrounded", "Application Backgrounded"]))
    """
}
