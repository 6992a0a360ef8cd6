package messages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
)

// maxSide is the longest side of a picture that is shown, in pixels. The API
// takes 8,000, but 2,000 once a request holds more than twenty pictures, and
// what is in a session stays in it.
const maxSide = 2000

// A request with a picture that cannot be read is refused, and so is every later
// one of the session. Hence a picture is read here first.
func checkPicture(kind string, data []byte) error {
	if kind == "image/webp" {
		w, h, err := webpSize(data)
		return errors.Join(err, checkSides(w, h))
	}
	config, decode := png.DecodeConfig, png.Decode
	switch kind {
	case "image/jpeg":
		config, decode = jpeg.DecodeConfig, jpeg.Decode
	case "image/gif":
		config, decode = gif.DecodeConfig, gif.Decode
	}
	c, err := config(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("the picture cannot be read: %w", err)
	}
	if err := checkSides(c.Width, c.Height); err != nil {
		return err
	}
	if _, err := decode(bytes.NewReader(data)); err != nil {
		return fmt.Errorf("the picture cannot be read: %w", err)
	}
	return nil
}

func checkSides(w, h int) error {
	if w > maxSide || h > maxSide {
		return fmt.Errorf("the picture has %d x %d pixels; at most %d x %d can be shown: make a smaller copy and read that", w, h, maxSide, maxSide)
	}
	return nil
}

// webpSize reads the size from the first chunk of a WebP file (RFC 9649 2.5 to
// 2.7); the standard library has no decoder for the rest.
func webpSize(data []byte) (w, h int, err error) {
	size := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
	switch {
	case len(data) < 30 || int64(binary.LittleEndian.Uint32(data[4:]))+8 > int64(len(data)):
		return 0, 0, errors.New("the picture cannot be read: it is cut off")
	case string(data[12:16]) == "VP8X":
		return 1 + size(data[24:]), 1 + size(data[27:]), nil
	case string(data[12:16]) == "VP8L" && data[20] == 0x2f:
		bits := binary.LittleEndian.Uint32(data[21:])
		return 1 + int(bits&0x3fff), 1 + int(bits>>14&0x3fff), nil
	case string(data[12:16]) == "VP8 " && bytes.Equal(data[23:26], []byte{0x9d, 0x01, 0x2a}):
		return int(binary.LittleEndian.Uint16(data[26:]) & 0x3fff), int(binary.LittleEndian.Uint16(data[28:]) & 0x3fff), nil
	}
	return 0, 0, fmt.Errorf("the picture cannot be read: %w", image.ErrFormat)
}
