package suffix

// Known reports whether Open knows a version.
func Known(version string) bool { return versions()[version] != nil }
