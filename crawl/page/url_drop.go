package page

import (
	"bytes"
	"strings"
)

// A drop is the rule for one parameter of a query.
type drop uint8

const (
	dropNever   drop = iota
	dropAlways       // the name is enough
	dropSession      // only when the value has the shape of a session id
)

// dropWords lists the parameters that name a visit and not a page, in lower case:
// names are compared without case. A name gets in when it is unmistakable, or, under
// dropSession, when its value is; "ref", "source", "id", "s" and "cid" mean too much
// elsewhere.
var dropWords = [...]string{
	dropAlways: "" +
		// Click ids and campaign marks of advertisers and networks.
		"gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid fbclid fb_action_ids " +
		"fb_action_types fb_source mibextid igshid igsh msclkid twclid ttclid yclid ysclid li_fat_id " +
		"epik zanpid irclickid irgwc s_kwcid ef_id rb_clickid wickedid _openstat xtor wt_mc wt.mc_id " +
		"__twitter_impression _branch_match_id _branch_referrer guccounter guce_referrer guce_referrer_sig " +
		// Readers of newsletters.
		"mc_cid mc_eid mkt_tok _hsenc _hsmi __hstc __hssc __hsfp hsctatracking vero_id vero_conv " +
		"oly_anon_id oly_enc_id ml_subscriber ml_subscriber_hash _kx " +
		// Campaigns of Matomo, by their exact names: other programs call a primary key
		// pk_something.
		"pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid pk_cpn pk_vid " +
		"mtm_campaign mtm_kwd mtm_keyword mtm_source mtm_medium mtm_content mtm_cid mtm_group mtm_placement mtm_clid " +
		"matomo_campaign matomo_kwd matomo_keyword matomo_source matomo_medium matomo_content matomo_cid " +
		"matomo_group matomo_placement piwik_campaign piwik_kwd piwik_keyword " +
		// Visitors, as carried from site to site.
		"_ga _gl " +
		// Sessions whose name is enough.
		"phpsessid jsessionid oscsid zenid cfid cftoken",
	dropSession: "sid sessid sessionid session_id session sess",
}

// dropPrefixes drop all names that begin so: campaigns of Google, advertisements of HubSpot.
var dropPrefixes = [...]string{"utm_", "hsa_"}

var dropNames = dropTable()

func dropTable() map[string]drop {
	table := map[string]drop{}
	for rule, words := range dropWords {
		for _, word := range strings.Fields(words) {
			table[word] = drop(rule)
		}
	}
	return table
}

// dropLetters holds the first letters of all those names: most parameters are
// cleared by one look.
var dropLetters = firstLetters()

func firstLetters() (letters [256]bool) {
	for name := range dropNames { // a set: the order does not matter
		letters[name[0]] = true
	}
	for _, prefix := range dropPrefixes {
		letters[prefix[0]] = true
	}
	return letters
}

// longestDrop bounds the names that are looked up, in bytes; a test holds it to the table.
const longestDrop = 24

// dropParameter reports whether a parameter ("name=value" in normal form) names a visit.
func dropParameter(parameter []byte) bool {
	if len(parameter) == 0 || !dropLetters[urlLower(parameter[0])] {
		return false
	}
	name, value, _ := bytes.Cut(parameter, []byte("="))
	var buf [longestDrop]byte
	low := buf[:copy(buf[:], name)]
	for i, c := range low {
		low[i] = urlLower(c)
	}
	for _, prefix := range dropPrefixes {
		if len(low) > len(prefix) && string(low[:len(prefix)]) == prefix {
			return true
		}
	}
	if len(name) > longestDrop {
		return false
	}
	rule := dropNames[string(low)]
	return rule == dropAlways || rule == dropSession && sessionShape(value)
}

// The shape of a session id: at least minSession letters and digits and nothing
// else, mixed as chance mixes them. A random id of 16 hexadecimal digits changes
// between letter and digit 7 times on average; words with a number behind them
// ("sid=introduction2algebra101") change 3 times, plain numbers and words never.
const (
	minSession        = 16
	minSessionChanges = 4
)

func sessionShape(value []byte) bool {
	if len(value) < minSession {
		return false
	}
	changes, digit := 0, urlDigit(value[0])
	for _, c := range value {
		if low := c | 0x20; !urlDigit(c) && (low < 'a' || low > 'z') {
			return false
		}
		if urlDigit(c) != digit {
			changes++
			digit = !digit
		}
	}
	return changes >= minSessionChanges
}

// dropPathSession takes ";jsessionid=..." out of the segment dst[start:], the way
// Java servers carry a session without cookies. (ASP.NET's "/(S(...))/" stays: such a
// server answers the URL without it by a redirect to one with it, for ever.)
//
// A segment of dots and parameters stays as it is: without them it would be a dot
// segment, and the normal form no fixed point.
func dropPathSession(dst []byte, start int) []byte {
	at := start + bytes.IndexByte(dst[start:], ';')
	if name := string(dst[start:at]); name == "." || name == ".." {
		return dst
	}
	out := dst[:at]
	for rest := dst[at:]; len(rest) > 0; {
		n := bytes.IndexByte(rest[1:], ';') + 1
		if n == 0 {
			n = len(rest)
		}
		name, _, _ := bytes.Cut(rest[1:n], []byte("="))
		if !foldedEqual(name, "jsessionid") && !foldedEqual(name, "phpsessid") {
			out = append(out, rest[:n]...) // never ahead of rest: both lie in dst
		}
		rest = rest[n:]
	}
	return out
}

func urlDigit(c byte) bool { return '0' <= c && c <= '9' }

// urlLower folds the case of an ASCII letter.
func urlLower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
