package config

// Gone are the settings of earlier versions and what is said of each.
var Gone = gone
