package sandbox

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// What an init reports. An init that ends without a report is one that failed.
const (
	reportStarted = 1 + iota // the child runs
	reportFailed             // value: errno, then the stage
	reportExec               // value: errno of the exec
	reportEnded              // value: the child's exit code
)

type report struct {
	kind  uint32
	value int32
	stage string
}

const (
	reportSize = 12
	maxStage   = 512
)

func (r report) write(fd int) error {
	r.stage = r.stage[:min(len(r.stage), maxStage)]
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, reportSize+len(r.stage)), r.kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(r.value))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(r.stage)))
	_, err := unix.Write(fd, append(b, r.stage...)) // less than PIPE_BUF: all or nothing
	return err
}

func (r *report) read(fd int) error {
	var head [reportSize]byte
	if err := readFull(fd, head[:]); err != nil {
		return err
	}
	stage := make([]byte, min(binary.LittleEndian.Uint32(head[8:]), maxStage))
	if err := readFull(fd, stage); err != nil {
		return err
	}
	r.kind, r.value, r.stage = binary.LittleEndian.Uint32(head[:]), int32(binary.LittleEndian.Uint32(head[4:])), string(stage)
	return nil
}

var errShort = errors.New("short read")

func readFull(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Read(fd, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		if n <= 0 {
			return errShort
		}
		b = b[n:]
	}
	return nil
}
