package answer

import (
	"net/http"
	"strings"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/scripted"
	"github.com/winnow-crawler/winnow/fakeweb/shown"
	"github.com/winnow-crawler/winnow/graph"
)

// shared returns scheme, host and port of the site that has the requisites that sites share: the
// last one.
func (w *World) shared() string {
	st := w.web.Site(graph.Site(w.web.Sites() - 1))
	return string(w.appendOrigin(nil, &st))
}

// shown describes the requisites of a page.
func (w *World) shown(st *fakeweb.Site, j uint32) shown.Page {
	return shown.Page{Own: string(w.appendOrigin(nil, st)), Shared: w.shared(), Site: uint32(st.ID), Number: st.First + j}
}

// Shown describes what page p needs to be shown, if pages have requisites: see Options.Shown.
func (w *World) Shown(p graph.Page) shown.Page {
	st, j := w.web.Locate(p)
	return w.shown(&st, j)
}

// part answers for a requisite.
func (a *Answer) part() {
	media, body, ok := shown.Answer(a.path, a.w.shared(), uint32(a.site.ID))
	if strings.HasPrefix(a.path, scripted.Dir) {
		media, body, ok = a.script()
	}
	if !ok {
		a.setStatus(http.StatusNotFound)
		return
	}
	a.Status, a.mime = http.StatusOK, media
	a.Body = append(a.composer.buf[:0], body...)
	a.composer.buf = a.Body
}

// script answers for a script, or for what scripts ask for.
func (a *Answer) script() (media, body string, ok bool) {
	path, query, _ := strings.Cut(scripted.Page(a.path), "?")
	p := a.w.locate(&a.Host, path, query)
	if path == "" || p.Kind != KindPage {
		return scripted.Answer(a.path)
	}
	c := composer{w: a.w, whole: true}
	return "application/json", string(scripted.Data(c.page(&a.site, p.j, 0, 2000))), true
}

// Part returns the path of a requisite, "" for other places.
func (p *Place) Part() string {
	if p.Kind != KindPart {
		return ""
	}
	return p.path
}
