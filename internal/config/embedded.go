package config

// setPlatform says how to use the real platform or confirm the embedded one.
const setPlatform = "set %[1]sPLATFORM_URL, or %[1]sSANDBOX=on if the sandbox is meant"

// embedded refuses the embedded platform if other settings suggest production: one
// forgotten variable must not open the service to the sandbox's people, whose passwords
// are public.
func (l *loader) embedded() {
	c := &l.config
	if c.Production() {
		for _, s := range settings() {
			if s.sandbox() && !c.unset(s.name) && (s.name != "SANDBOX" || c.SandboxOn) {
				l.problems.add(s.name, "is a setting of the embedded platform, which is refused with %sPLATFORM_URL", Prefix)
			}
		}
		return
	}
	if origin := c.PublicOrigin; origin != (Origin{}) && !origin.Loopback() && !c.SandboxOn {
		l.problems.add("PUBLIC_ORIGIN", "%[2]s is not this machine, and the platform is embedded: "+setPlatform, Prefix, origin)
	}
}
