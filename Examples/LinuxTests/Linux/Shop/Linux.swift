// What the app's sources need on Linux alone.
