package config

// FormerSettings exports formerSettings.
var FormerSettings = formerSettings
