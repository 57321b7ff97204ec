package dashboard

import "fmt"

// A list is a table of a kind, with its caption and the name of its first column.
type list[T any] struct {
	Caption, What, Unit string
	Rows                []T
}

// padded adds empty rows, which are hidden until the script fills them.
func padded(rows []row, prefix string) []row {
	for len(rows) < listed {
		rows = append(rows, row{ID: fmt.Sprint(prefix, len(rows))})
	}
	return rows
}

func (o *overview) RequestList() list[row] {
	return list[row]{Caption: "Requests that have ended, the newest first", Rows: padded(o.Requests, "r")}
}

func (o *overview) FailureList() list[row] {
	return list[row]{Caption: "Failed requests, the newest first", Rows: padded(o.Failures, "f")}
}

func (o *overview) FailedList() list[count] {
	return list[count]{Caption: "Failed pages by class", What: "class", Rows: o.Failed}
}

func (o *overview) SkippedList() list[count] {
	return list[count]{Caption: "Skipped pages by reason", What: "reason", Rows: o.Skipped}
}

func (x *clusterCrawlPage) FailedList() list[count] {
	return list[count]{Caption: "Failed pages by class", What: "class", Rows: x.Failed}
}

func (x *clusterCrawlPage) SkippedList() list[count] {
	return list[count]{Caption: "Skipped pages by reason", What: "reason", Rows: x.Skipped}
}

func (x *failurePage) ClassList() list[count] {
	return list[count]{Caption: "By class; a class lists its pages", What: "class", Rows: x.Classes}
}

func (x *failurePage) LastList() list[row] {
	return list[row]{Caption: "Failed requests of all kinds, the newest first", Rows: x.Last}
}

func (x *trapPage) ReasonList() list[count] {
	return list[count]{Caption: "Skipped as traps; a reason lists its pages", What: "reason", Rows: x.Reasons}
}

func (x *sitePage) CourseBars() list[bar] {
	caption := "Requests over time, about"
	if x.Partly {
		caption = "The last requests over time, about"
	}
	return list[bar]{Caption: caption, What: "from", Unit: "requests", Rows: x.Course}
}

func (x *sitePage) Ledger() list[ledgerRow] {
	return list[ledgerRow]{Caption: "Requests to the site, the newest first", Rows: x.Requests}
}

func (x *logPage) Ledger() list[ledgerRow] {
	return list[ledgerRow]{Caption: "Requests, the newest first, each with the time since the last answer of its site, and since its site might be requested", Rows: x.Rows}
}

// A paging leads to the other parts of a list.
type paging struct{ Looked, First, Next string }

func (x *logPage) Paging() paging { return paging{First: x.First, Next: x.Next} }

func (x *freshPage) AgeBars() list[bar] {
	return list[bar]{Caption: "Copies by the time since the last visit", What: "age", Unit: "pages", Rows: x.Ages}
}

func (x *freshPage) LikelyBars() list[bar] {
	return list[bar]{Caption: "Copies by the probability that they are up to date", What: "probability", Unit: "pages", Rows: x.Likely}
}
