package rehearse

import "encoding/base64"

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
	return nil
}
