// Package s3 stores objects on servers that speak S3: Amazon's, and the many others that do.
//
// Each part of an upload has its MD5 in the header Content-MD5, which every server checks. Nothing
// is used that only some servers know, but for two things which the others ignore: a server that
// reports a CRC-64/NVME of the whole object saves reading it back, and one that knows If-None-Match
// cannot be made to replace an object by two uploads at the same time.
package s3

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/winnow-crawler/winnow/crawl/remote"
)

// A Store is a bucket of a server.
type Store struct {
	core   *minio.Core
	keys   *credentials.Credentials
	place  remote.Place
	bucket string
}

const (
	amazon        = "https://s3.amazonaws.com"
	usualRegion   = "us-east-1"     // of a server that has none
	tries         = 4               // of a request, within seconds
	identityWait  = 3 * time.Second // for the service that gives machines of a cloud their keys
	stall         = 2 * time.Minute // without a byte, after which a transfer is given up
	checkWait     = 20 * time.Second
	uploadsListed = 1000
)

// Dial returns the store of a place. It makes no request.
func Dial(p remote.Place) (remote.Store, error) { return Open(p) }

// Open returns the store of a place. It makes no request. Keys come from the environment
// (AWS_ACCESS_KEY_ID and others), from the shared credentials file, or from the machine.
func Open(p remote.Place) (*Store, error) {
	u, err := url.Parse(cmp.Or(p.Endpoint, amazon))
	if err != nil {
		return nil, err
	}
	s := &Store{place: p, bucket: p.Bucket}
	s.keys = credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
		&credentials.IAM{Client: &http.Client{Timeout: identityWait}},
	})
	o := &minio.Options{Creds: s.keys, Secure: u.Scheme == "https", Region: p.Region, MaxRetries: tries}
	if p.Endpoint != "" { // names of buckets below that of a server need DNS and certificates
		o.BucketLookup, o.Region = minio.BucketLookupPath, cmp.Or(p.Region, usualRegion)
	}
	if s.core, err = minio.NewCore(u.Host, o); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Short(), err)
	}
	return s, nil
}

// Check finds out whether an object may be stored at the place: it begins an upload, and takes that
// back. Nothing is left. An error that is remote.ErrRefused will not go away by itself.
func (s *Store) Check(ctx context.Context) error {
	if err := s.haveKeys(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	key := s.place.At("winnow-check").Key
	id, err := s.core.NewMultipartUpload(ctx, s.bucket, key, minio.PutObjectOptions{})
	if err == nil {
		err = s.core.AbortMultipartUpload(ctx, s.bucket, key, id)
	}
	return s.explain(err)
}

// Put stores a file. An upload that was broken off is continued: parts that the server has are not
// sent again.
func (s *Store) Put(ctx context.Context, key string, f io.ReaderAt, x *remote.Sums, fresh bool) error {
	if err := s.haveKeys(); err != nil {
		return err
	}
	o := minio.PutObjectOptions{ContentType: contentType(key)}
	if fresh {
		o.SetMatchETagExcept("*")
	}
	if len(x.Parts) > 1 {
		return s.explain(s.putParts(ctx, key, f, x, o))
	}
	ctx, r := watch(ctx, io.NewSectionReader(f, 0, x.Size))
	defer r.stop()
	_, err := s.core.PutObject(ctx, s.bucket, key, r, x.Size, base64.StdEncoding.EncodeToString(x.Parts[0]), "", o)
	return s.explain(r.cause(err))
}

func contentType(key string) string {
	if strings.HasSuffix(key, ".warc.gz") {
		return "application/warc"
	}
	return "text/x-cdxj"
}

// putParts stores a large file in parts.
func (s *Store) putParts(ctx context.Context, key string, f io.ReaderAt, x *remote.Sums, o minio.PutObjectOptions) error {
	id, have := s.begun(ctx, key, x)
	if id == "" {
		var err error // the condition is for the end
		if id, err = s.core.NewMultipartUpload(ctx, s.bucket, key, minio.PutObjectOptions{ContentType: o.ContentType}); err != nil {
			return err
		}
	}
	var parts []minio.CompletePart
	for i, sum := range x.Parts {
		tag := have[i+1]
		if tag == "" {
			p, err := s.putPart(ctx, key, id, f, x, i, sum)
			if err != nil {
				return err
			}
			tag = p.ETag
		}
		parts = append(parts, minio.CompletePart{PartNumber: i + 1, ETag: tag})
	}
	_, err := s.core.CompleteMultipartUpload(ctx, s.bucket, key, id, parts, o)
	return err
}

// putPart sends a part.
func (s *Store) putPart(ctx context.Context, key, id string, f io.ReaderAt, x *remote.Sums, i int, sum []byte) (minio.ObjectPart, error) {
	from := int64(i) * x.Part
	n := min(x.Part, x.Size-from)
	ctx, r := watch(ctx, io.NewSectionReader(f, from, n))
	defer r.stop()
	p, err := s.core.PutObjectPart(ctx, s.bucket, key, id, i+1, r, n, minio.PutObjectPartOptions{Md5Base64: base64.StdEncoding.EncodeToString(sum)})
	return p, r.cause(err)
}

// begun finds an upload that was broken off, and the parts of the file that the server has of it.
// Others of the same key are given up. A server that lists none begins anew.
func (s *Store) begun(ctx context.Context, key string, x *remote.Sums) (id string, have map[int]string) {
	list, err := s.core.ListMultipartUploads(ctx, s.bucket, key, "", "", "", uploadsListed)
	if err != nil {
		return "", nil
	}
	for _, u := range list.Uploads {
		if u.Key != key {
			continue
		}
		if id == "" {
			if have = s.sentParts(ctx, key, u.UploadID, x); len(have) > 0 {
				id = u.UploadID
				continue
			}
		}
		_ = s.core.AbortMultipartUpload(ctx, s.bucket, key, u.UploadID) // it only takes room
	}
	return id, have
}

// sentParts returns the ETags of parts that have the bytes of the file.
func (s *Store) sentParts(ctx context.Context, key, id string, x *remote.Sums) map[int]string {
	have := map[int]string{}
	for marker := 0; ; {
		list, err := s.core.ListObjectParts(ctx, s.bucket, key, id, marker, uploadsListed)
		if err != nil {
			return nil
		}
		for _, p := range list.ObjectParts {
			i := p.PartNumber - 1
			if i < len(x.Parts) && p.Size == min(x.Part, x.Size-int64(i)*x.Part) && strings.Trim(p.ETag, `"`) == hex.EncodeToString(x.Parts[i]) {
				have[p.PartNumber] = p.ETag
			}
		}
		if !list.IsTruncated || list.NextPartNumberMarker <= marker {
			return have
		}
		marker = list.NextPartNumberMarker
	}
}

// Stat describes an object.
func (s *Store) Stat(ctx context.Context, key string) (*remote.Object, error) {
	if err := s.haveKeys(); err != nil {
		return nil, err
	}
	x, err := s.core.StatObject(ctx, s.bucket, key, minio.StatObjectOptions{Checksum: true})
	if err != nil {
		return nil, s.explain(err)
	}
	o := &remote.Object{Size: x.Size, ETag: x.ETag}
	if x.ChecksumMode != minio.ChecksumCompositeMode.String() {
		o.CRC64 = x.ChecksumCRC64NVME
	}
	return o, nil
}

// Get reads n bytes of an object from an offset on.
func (s *Store) Get(ctx context.Context, key string, from, n int64) (io.ReadCloser, error) {
	if err := s.haveKeys(); err != nil {
		return nil, err
	}
	var o minio.GetObjectOptions
	if err := o.SetRange(from, from+n-1); err != nil {
		return nil, err
	}
	ctx, r := watch(ctx, nil)
	body, _, _, err := s.core.GetObject(ctx, s.bucket, key, o)
	if err != nil {
		r.stop()
		return nil, s.explain(r.cause(err))
	}
	r.body = body
	return r, nil
}

// haveKeys returns an error if there are no credentials: a request without them would only be
// refused.
func (s *Store) haveKeys() error {
	v, err := s.keys.GetWithContext(s.core.CredContext())
	if err != nil || v.AccessKeyID == "" {
		s.keys.Expire()
		return refused("there are no credentials for "+s.place.Short(), remote.CredentialsHint, nil)
	}
	return nil
}

// explain says what an answer of the server means.
func (s *Store) explain(err error) error {
	if err == nil {
		return nil
	}
	answer := minio.ToErrorResponse(err)
	var at string
	if at = s.place.Endpoint; at == "" {
		at = "Amazon S3"
	}
	switch answer.Code {
	case minio.NoSuchBucket:
		return refused(fmt.Sprintf("there is no bucket %q at %s", s.bucket, at),
			"create the bucket, or correct the place; the server is that of AWS_ENDPOINT_URL_S3, or of "+remote.Example+"?endpoint=URL", err)
	case minio.NoSuchKey, minio.NoSuchVersion:
		return fmt.Errorf("%s: %w", answer.Key, fs.ErrNotExist)
	case minio.PreconditionFailed, "ConditionalRequestConflict":
		return fmt.Errorf("%s: %w", answer.Key, remote.ErrExists)
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "RequestTimeTooSkewed":
		s.keys.Expire() // they may be others next time
		return refused(at+" does not accept the credentials", remote.CredentialsHint, err)
	case minio.AccessDenied, "AllAccessDisabled", "AccountProblem":
		s.keys.Expire()
		return refused(fmt.Sprintf("%s does not allow this at %s", at, s.place.Short()),
			"the credentials need s3:PutObject, s3:GetObject, s3:AbortMultipartUpload and s3:ListMultipartUploadParts there", err)
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "InvalidRegionName":
		return refused(fmt.Sprintf("the bucket %q is in another region", s.bucket), "set AWS_REGION, or "+remote.Example+"?region=NAME", err)
	case "InvalidBucketName":
		return refused(fmt.Sprintf("%q is no name of a bucket", s.bucket), "name a bucket and a prefix: "+remote.Example, err)
	}
	if answer.StatusCode == http.StatusForbidden {
		return refused(fmt.Sprintf("%s does not allow this at %s", at, s.place.Short()), remote.CredentialsHint, err)
	}
	return err
}

// Check returns the place of a URL, below a name if that is not empty, after a request that shows
// whether objects may be stored there. An error that is not remote.ErrRefused may go away by itself.
func Check(ctx context.Context, text, below string) (remote.Place, error) {
	p, err := remote.Parse(text)
	if err == nil {
		p, err = p.At(below).Complete(os.Getenv)
	}
	if err != nil {
		return p, refused(err.Error(), remote.CredentialsHint, nil)
	}
	s, err := Open(p)
	if err != nil {
		return p, refused(err.Error(), "name a bucket and a prefix: "+remote.Example, nil)
	}
	return p, s.Check(ctx)
}

// Start checks the place of a configuration and starts an uploader to it; below a name, if that is
// not empty. It returns nil for an empty place. It fails if the store refuses; one that cannot be
// reached is only told about.
func Start(ctx context.Context, u *remote.Uploader, place, below string) (*remote.Uploader, error) {
	if place == "" {
		return nil, nil
	}
	p, err := Check(ctx, place, below)
	if errors.Is(err, remote.ErrRefused) {
		return nil, err
	}
	if err != nil {
		u.Warn("the store cannot be reached; WARC files stay here until it can", "place", p.Short(), "error", err)
	}
	u.Place, u.Dial = p, Dial
	return u.Start(ctx), nil
}
