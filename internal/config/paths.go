package config

// Path is a setting that replaces the path of some operations of the platform.
type Path struct {
	// Name of the setting, without Prefix.
	Name string
	// Default is the path template that counts while it is unset.
	Default string
	// Check reports what is wrong with another one.
	Check func(template string) error
}

// readPaths fills in Config.Paths.
func (l *loader) readPaths(paths []Path) {
	l.config.Paths = map[string]string{}
	for _, p := range paths {
		template, set := l.given[p.Name]
		if !set {
			template = p.Default
		} else if err := p.Check(template); err != nil {
			l.problems.add(p.Name, "%v", err)
		}
		if set {
			l.config.sources[p.Name] = Environment
		}
		l.config.Paths[p.Name] = template
		l.config.pathNames = append(l.config.pathNames, p.Name)
	}
}
