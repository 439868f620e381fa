// Calls the C library from Go: prints one answer for each text of standard input, which end in NUL.
package main

/*
#cgo LDFLAGS: -lfingerpost
#include <fingerpost.h>
#include <stdlib.h>
*/
import "C"

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"unsafe"
)

func convert(text, options string) string {
	in, how := C.CString(text), C.CString(options)
	defer C.free(unsafe.Pointer(in))
	defer C.free(unsafe.Pointer(how))
	out := C.fingerpost_convert(in, C.size_t(len(text)), how)
	defer C.fingerpost_free(out)
	return C.GoString(out)
}

func main() {
	texts := bufio.NewReader(os.Stdin)
	for {
		text, err := texts.ReadString(0)
		if text = strings.TrimSuffix(text, "\x00"); err != nil && text == "" {
			return
		}
		fmt.Println(convert(text, os.Args[1]))
	}
}
