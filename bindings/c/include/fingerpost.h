/*
 * fingerpost: checks, converts and labels GS1 identifiers.
 *
 * Made by cbindgen from src/lib.rs (.ci/bindings write). Every function may be called from any thread.
 *
 * Parameters of all functions that take a text:
 *   text, length   the text and its bytes, in UTF-8; it may contain NUL and separators
 *   options        a JSON object that ends in NUL, such as {"to": "digital-link"}; NULL is {}
 *
 * Ownership: parameters stay yours, and are not used after the call. What is returned is JSON that ends in NUL and is
 * never NULL; it is yours until you pass it to fingerpost_free. Only fingerpost_version returns what is not released.
 *
 * Refusals are {"error": {"code", "message", "help", "span": {"start", "end"}, "input"}}; the span counts bytes of
 * input, which is the text without the quotes or white space around it.
 */


#ifndef FINGERPOST_H
#define FINGERPOST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Checks a text: what it is, its faults with their positions, what it says.

 Returns the object of `fingerpost check --format json`. Parameters and ownership are the same for
 all functions: see the head of this file.

 # Safety

 `text` is NULL or points to `length` bytes, `options` is NULL or ends in NUL.
 */
char *fingerpost_check(const char *text, size_t length, const char *options);

/*
 Converts an identifier to the form of the option `to`, or without it to all of them.

 Returns `{"result": …, "warnings": […]}`; the result is a string, or an object with all forms.

 # Safety

 As for `fingerpost_check`.
 */
char *fingerpost_convert(const char *text, size_t length, const char *options);

/*
 Draws the label of an identifier.

 Returns `{"result": {"format", "text" or "base64", "scan_data", "width_mm", "height_mm"}}`: SVG as
 text, PNG and PDF in base64.

 # Safety

 As for `fingerpost_check`.
 */
char *fingerpost_label(const char *text, size_t length, const char *options);

/*
 Splits a URI reference into its components (RFC 3986).

 Returns the object of `fingerpost uri parse --format json`.

 # Safety

 As for `fingerpost_check`.
 */
char *fingerpost_uri(const char *text, size_t length, const char *options);

/*
 Splits a URN into its parts (RFC 8141).

 Returns the object of `fingerpost urn parse --format json`.

 # Safety

 As for `fingerpost_check`.
 */
char *fingerpost_urn(const char *text, size_t length, const char *options);

/*
 Releases a string that a function of this library returned. NULL is ignored.

 # Safety

 `returned` is NULL, or was returned by a function of this library and is released for the first
 time.
 */
void fingerpost_free(char *returned);

/*
 Returns the names that the functions know, as JSON: `functions`, `forms`, `accept`, `schemes`,
 `symbols`, `addresses`, and the `release` of GS1's table.
 */
char *fingerpost_definition(void);

/*
 Returns the version of this library. It is not released.
 */
const char *fingerpost_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FINGERPOST_H */
