package dump

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode/utf16"
)

// toUTF8 undoes what a shell's redirection does to a file: PowerShell writes UTF-16 or UTF-8 with a byte order mark.
func toUTF8(data []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(data, []byte{0xef, 0xbb, 0xbf}):
		return data[3:], nil
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return fromUTF16(data[2:], binary.BigEndian)
	// Without a mark: the first character of a dump is ASCII, so one byte of its pair is zero.
	case len(data) >= 2 && data[0] != 0 && data[1] == 0:
		return fromUTF16(data, binary.LittleEndian)
	case len(data) >= 2 && data[0] == 0 && data[1] != 0:
		return fromUTF16(data, binary.BigEndian)
	default:
		return data, nil
	}
}

func fromUTF16(data []byte, order binary.ByteOrder) ([]byte, error) {
	if len(data)%2 != 0 {
		return nil, errors.New("it is UTF-16 and ends in the middle of a character: the file is truncated")
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units))), nil
}
