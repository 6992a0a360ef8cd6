package messages

import (
	"bytes"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

func pictures(t *testing.T, w, h int) map[string][]byte {
	t.Helper()
	m := image.NewPaletted(image.Rect(0, 0, w, h), palette.Plan9)
	var p, j, g bytes.Buffer
	for _, err := range []error{png.Encode(&p, m), jpeg.Encode(&j, m, nil), gif.Encode(&g, m, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string][]byte{"image/png": p.Bytes(), "image/jpeg": j.Bytes(), "image/gif": g.Bytes()}
}

// webp is the head of a file with a chunk of a kind and its first bytes.
func webp(kind, body string) []byte {
	body = kind + "\x10\x00\x00\x00" + body + strings.Repeat("\x00", 16)
	return []byte("RIFF" + string([]byte{byte(len(body) + 4), 0, 0, 0}) + "WEBP" + body)
}

func TestPicturesThatAreTaken(t *testing.T) {
	for kind, data := range pictures(t, maxSide, 3) {
		if err := checkPicture(kind, data); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for name, data := range map[string][]byte{
		"extended": webp("VP8X", "\x00\x00\x00\x00\xcf\x07\x00\x02\x00\x00"), // 2000 x 3
		"lossless": webp("VP8L", "\x2f\xcf\x87\x00\x00"),                     // 2000 x 3
		"lossy":    webp("VP8 ", "\x00\x00\x00\x9d\x01\x2a\xd0\x07\x03\x00"), // 2000 x 3
	} {
		if w, h, err := webpSize(data); w != maxSide || h != 3 || err != nil {
			t.Errorf("%s: %d x %d, %v", name, w, h, err)
		}
	}
}

// The API would refuse them, and with them every later request of the session.
func TestPicturesThatAreRefused(t *testing.T) {
	for kind, data := range pictures(t, 3, maxSide+1) {
		if err := checkPicture(kind, data); err == nil || !strings.Contains(err.Error(), "2001") {
			t.Errorf("%s of 2001 pixels: %v", kind, err)
		}
	}
	for kind, data := range pictures(t, 300, 200) {
		for _, bad := range [][]byte{data[:len(data)/2], data[:20]} {
			if err := checkPicture(kind, bad); err == nil {
				t.Errorf("%s cut to %d bytes was taken", kind, len(bad))
			}
		}
	}
	for name, data := range map[string][]byte{
		"large":   webp("VP8X", "\x00\x00\x00\x00\xd0\x07\x00\x02\x00\x00"),
		"cut off": webp("VP8X", "\x00\x00\x00\x00\x01\x00\x00\x02\x00\x00")[:40],
		"short":   []byte("RIFF\x04\x00\x00\x00WEBP"),
		"unknown": webp("JUNK", "\x00"),
	} {
		if err := checkPicture("image/webp", data); err == nil {
			t.Errorf("%s WebP was taken", name)
		}
	}
}

func FuzzWebpSize(f *testing.F) {
	f.Add(webp("VP8X", "\x00\x00\x00\x00\xcf\x07\x00\x02\x00\x00"))
	f.Add([]byte("RIFF"))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _, _ = webpSize(data) })
}
