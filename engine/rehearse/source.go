package rehearse

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/gif" // the formats that the API takes and the standard library reads
	_ "image/jpeg"
	_ "image/png"
)

// Limits of a picture (vision guide of the API's documentation).
const (
	pictureBytes = 5 << 20 // as base64
	pictureSide  = 8000    // pixels
)

// checkSource checks where an image or document comes from (SDK:
// ImageBlockParam, DocumentBlockParam and their sources).
func checkSource(kind string, o object) *apiError {
	if !o.has("source") {
		return invalid("%s: Field required", o.at("source"))
	}
	src, err := asObject(o.at("source"), o.raw["source"])
	if err != nil {
		return err
	}
	how, err := src.oneOf("type", "base64", "url", "file", "text", "content")
	if err != nil {
		return err
	}
	switch how {
	case "":
		return invalid("%s: Field required", src.at("type"))
	case "base64":
		return checkBase64(kind, src)
	case "url":
		_, err = src.str("url")
	case "file":
		_, err = src.str("file_id")
	}
	return err
}

func checkBase64(kind string, src object) *apiError {
	allowed := []string{"image/jpeg", "image/png", "image/gif", "image/webp"}
	if kind == "document" {
		allowed = []string{"application/pdf"}
	}
	if _, err := src.str("media_type"); err != nil {
		return err
	}
	if _, err := src.oneOf("media_type", allowed...); err != nil {
		return err
	}
	data, err := src.str("data")
	if err != nil {
		return err
	}
	if _, e := base64.StdEncoding.DecodeString(data); e != nil || data == "" {
		return invalid("%s: invalid base64 data", src.at("data"))
	}
	if kind == "image" {
		return checkPicture(src, data)
	}
	return nil
}

// checkPicture reads a picture's head. WebP is not looked into.
func checkPicture(src object, data string) *apiError {
	if len(data) > pictureBytes {
		return invalid("%s: image exceeds 5 MB maximum: %d bytes > %d bytes", src.at("data"), len(data), pictureBytes)
	}
	if kind, _ := src.str("media_type"); kind == "image/webp" {
		return nil
	}
	raw, _ := base64.StdEncoding.DecodeString(data) // has been decoded before
	c, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return invalid("%s: Could not process image", src.at("data"))
	}
	if c.Width > pictureSide || c.Height > pictureSide {
		return invalid("%s: At least one of the image dimensions exceed max allowed size: %d pixels", src.at("data"), pictureSide)
	}
	return nil
}
