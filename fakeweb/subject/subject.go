// Package subject has the words of the topics of a synthetic web.
//
// Each topic has a vocabulary of its own, the word that names it first: a query for that word is
// a query for the topic. Words come by Zipf's law: the second half as often as the first, the
// third a third as often. No word belongs to two topics or to the words that all pages share.
package subject

// Most is the largest number of topics.
const Most = 8

// The vocabularies. The first two are the topics of Cho, Garcia-Molina and Page 1998.
var vocabularies = [Most][size]string{
	{
		"computer", "processor", "keyboard", "compiler", "software", "hardware", "algorithm", "database",
		"terminal", "laptop", "modem", "firmware", "bandwidth", "monitor", "debugger", "disk",
		"printer", "cache", "kernel", "byte", "transistor", "mainframe", "cursor", "spreadsheet",
	},
	{
		"admission", "applicant", "enrolment", "tuition", "scholarship", "transcript", "deadline", "campus",
		"dean", "undergraduate", "interview", "faculty", "freshman", "semester", "prerequisite", "diploma",
		"registrar", "bursary", "waitlist", "essay", "matriculation", "credential", "dormitory", "prospectus",
	},
	{
		"volcano", "lava", "magma", "eruption", "crater", "basalt", "ash", "caldera",
		"seismic", "pumice", "geyser", "fissure", "obsidian", "tephra", "plume", "vent",
		"tremor", "lahar", "fumarole", "tectonic", "rhyolite", "stratum", "cinder", "geologist",
	},
	{
		"chess", "bishop", "rook", "pawn", "checkmate", "gambit", "castling", "endgame",
		"grandmaster", "stalemate", "opening", "knight", "zugzwang", "fianchetto", "promotion", "tournament",
		"blitz", "chessboard", "sacrifice", "fork", "skewer", "defence", "middlegame", "arbiter",
	},
	{
		"pottery", "clay", "kiln", "glaze", "stoneware", "earthenware", "porcelain", "potter",
		"slip", "bisque", "wheel", "ceramic", "throwing", "terracotta", "raku", "amphora",
		"majolica", "celadon", "firing", "handle", "coil", "pinch", "trimming", "engobe",
	},
	{
		"railway", "locomotive", "carriage", "platform", "signal", "junction", "timetable", "gauge",
		"freight", "sleeper", "conductor", "viaduct", "boiler", "coupling", "buffer", "tunnel",
		"siding", "turntable", "express", "tram", "brakeman", "steam", "track", "depot",
	},
	{
		"orchid", "petal", "sepal", "epiphyte", "pollinator", "cattleya", "labellum", "rhizome",
		"pseudobulb", "greenhouse", "bloom", "hybrid", "vanilla", "phalaenopsis", "dendrobium", "humidity",
		"repotting", "sphagnum", "fertiliser", "blossom", "inflorescence", "capsule", "seedling", "nectar",
	},
	{
		"opera", "soprano", "aria", "libretto", "tenor", "overture", "baritone", "mezzo",
		"chorus", "conductorship", "intermezzo", "recitative", "coloratura", "diva", "orchestra", "premiere",
		"stagecraft", "duet", "cadenza", "contralto", "finale", "prompter", "surtitle", "encore",
	},
}

// Name returns the word that names a topic.
func Name(topic int) string { return Words(topic)[0] }

// Words returns the vocabulary of a topic, the most frequent words first.
func Words(topic int) []string { return vocabularies[topic][:] }

// size is the number of words in each vocabulary, and harmonic the sum of 1/k up to it.
const (
	size     = 24
	harmonic = 3.775958177753507
)

// Place returns the place of a word in its vocabulary by random bits.
func Place(h uint64) int {
	left := float64(float64(h>>11) / (1 << 53) * harmonic)
	for k := range size - 1 {
		if left -= 1 / float64(k+1); left < 0 {
			return k
		}
	}
	return size - 1
}
