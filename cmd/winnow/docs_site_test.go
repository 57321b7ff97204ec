package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A docSite serves the sites that the manual crawls, a.example and b.example, over http and https.
// winnow reaches them through a proxy, so that their names and ports are those of the manual.
type docSite struct {
	proxy, ca string
}

func (s *docSite) flags() string {
	return fmt.Sprintf("--proxy %s --ca-file %s --allow-private", s.proxy, s.ca)
}

func newDocSite(t *testing.T) *docSite {
	t.Helper()
	cert, ca := docCertificate(t)
	secure := httptest.NewUnstartedServer(http.HandlerFunc(serveDocSite))
	secure.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	secure.StartTLS()
	t.Cleanup(secure.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			serveDocSite(w, r)
			return
		}
		tunnel(w, r, secure.Listener.Addr().String())
	}))
	t.Cleanup(proxy.Close)
	return &docSite{proxy: proxy.URL, ca: ca}
}

// tunnel joins the client of a CONNECT request to an address.
func tunnel(w http.ResponseWriter, r *http.Request, to string) {
	if host, _, _ := net.SplitHostPort(r.Host); host != "a.example" && host != "b.example" {
		http.Error(w, "no such host", http.StatusBadGateway)
		return
	}
	server, err := net.Dial("tcp", to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	client, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		server.Close()
		return
	}
	fmt.Fprint(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() { io.Copy(server, client); server.Close() }()
	go func() { io.Copy(client, server); client.Close() }()
}

// docCertificate makes a certificate for the sites, and a file with what to trust.
func docCertificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"a.example", "b.example"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o666); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// serveDocSite answers for all sites: a home page, twenty pages of a manual that link to each other
// (300 on b.example), a page about web crawlers, one that does not exist, and one that robots.txt
// forbids.
func serveDocSite(w http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	page := func(title, text string, links ...string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><html lang=en><title>%s</title><h1>%s</h1><p>%s", title, title, text)
		for _, l := range links {
			fmt.Fprintf(w, "<p><a href=%q>%s</a>", l, l)
		}
	}
	n, most := 0, 20
	if host == "b.example" {
		most = 300
	}
	_, err := fmt.Sscanf(r.URL.Path, "/docs/p%d.html", &n)
	switch path := r.URL.Path; {
	case host != "a.example" && host != "b.example":
		http.Error(w, "no such host", http.StatusBadGateway)
	case path == "/":
		page("Home of "+host, "Welcome.", "/docs/", "/crawlers.html", "/missing.html", "/private/", "https://b.example/", "https://a.example/")
	case path == "/docs/":
		page("Manual", "All about threshing and sieves.", "/docs/p1.html", "/docs/p2.html", "/docs/p3.html", "/crawlers.html")
	case path == "/crawlers.html":
		page("Web crawlers", "A web crawler fetches pages of the web. This crawler sorts the pages.", "/", "/docs/p4.html")
	case path == "/robots.txt":
		fmt.Fprintf(w, "User-agent: *\nDisallow: /private/\nSitemap: https://%s/sitemap.xml\n", host)
	case path == "/sitemap.xml":
		fmt.Fprintf(w, "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://%s/docs/</loc></url></urlset>", host)
	case err == nil && n >= 1 && n <= most && path == fmt.Sprintf("/docs/p%d.html", n):
		page(fmt.Sprintf("Chapter %d", n), fmt.Sprintf("What chapter %d says about grain, chaff and wind number %d.", n, n*n),
			"/docs/", fmt.Sprintf("/docs/p%d.html", n*2%most+1), fmt.Sprintf("/docs/p%d.html", n*7%most+1), fmt.Sprintf("/docs/p%d.html", n*n%most+1))
	default:
		http.NotFound(w, r)
	}
}
