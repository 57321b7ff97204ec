package remote

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/winnow-crawler/winnow/internal/hint"
)

// A Place says where objects are: those of a bucket whose keys begin with a prefix, or one object.
type Place struct {
	Bucket   string
	Key      string // without a slash at its ends; empty: all of the bucket
	Endpoint string // URL of the server; empty: that of the environment, else Amazon's
	Region   string // empty: that of the environment, else the one that the server names
}

// Example shows how a place is written.
const Example = "s3://BUCKET/PREFIX"

// Parse returns the place of a URL such as s3://BUCKET/PREFIX?endpoint=URL&region=NAME. Nothing of
// it is a secret.
func Parse(text string) (p Place, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.Fragment != "" {
		return p, &hint.Error{Text: fmt.Sprintf("%q is no place for objects", text), Hint: "name a bucket and a prefix: " + Example}
	}
	if u.User != nil || strings.Contains(text, "@") {
		return p, &hint.Error{Text: "secrets do not belong into the URL of a place", Hint: CredentialsHint}
	}
	p = Place{Bucket: u.Host, Key: strings.Trim(path.Clean("/"+u.Path), "/")}
	for name, values := range u.Query() {
		switch name {
		case "endpoint":
			p.Endpoint = strings.TrimSuffix(values[0], "/")
		case "region":
			p.Region = values[0]
		default:
			return p, &hint.Error{Text: "a place has no parameter " + name, Hint: "it may have endpoint and region: " + Example + "?endpoint=URL&region=NAME; " + CredentialsHint}
		}
	}
	return p, p.checkEndpoint()
}

// CredentialsHint says where credentials come from.
const CredentialsHint = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to use the shared credentials file"

func (p *Place) checkEndpoint() error {
	u, err := url.Parse(p.Endpoint)
	if p.Endpoint == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && strings.Trim(u.Path, "/") == "" && u.User == nil {
		return nil
	}
	return &hint.Error{Text: fmt.Sprintf("endpoint %q: want the URL of a server, without a path", p.Endpoint), Hint: "such as https://s3.example.org"}
}

// Complete takes endpoint and region from the environment where the place names none.
func (p Place) Complete(env func(string) string) (Place, error) {
	p.Endpoint = cmp.Or(p.Endpoint, strings.TrimSuffix(cmp.Or(env("AWS_ENDPOINT_URL_S3"), env("AWS_ENDPOINT_URL")), "/"))
	p.Region = cmp.Or(p.Region, env("AWS_REGION"), env("AWS_DEFAULT_REGION"))
	return p, p.checkEndpoint()
}

// At returns the place of an object below p.
func (p Place) At(name string) Place {
	p.Key = path.Join(p.Key, name)
	return p
}

// String returns the URL of the place.
func (p Place) String() string {
	q := url.Values{}
	if p.Endpoint != "" {
		q.Set("endpoint", p.Endpoint)
	}
	if p.Region != "" {
		q.Set("region", p.Region)
	}
	u := url.URL{Scheme: "s3", Host: p.Bucket, Path: "/" + p.Key, RawQuery: q.Encode()}
	return u.String()
}

// Short returns the URL without endpoint and region.
func (p Place) Short() string { return "s3://" + path.Join(p.Bucket, p.Key) }
