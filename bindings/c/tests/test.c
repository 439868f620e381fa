/*
 * The library as C programs use it, under the sanitizers of gcc, and a program that answers lines, for the comparison of all bindings:
 *
 *   test                                               checks ownership, NUL, NULL, and texts that are no UTF-8
 *   test call FUNCTION OPTIONS < TEXTS                 prints one answer for each text; texts end in NUL
 *   test definition
 */
#include <fingerpost.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *(*function)(const char *, size_t, const char *);

static int failures = 0;

/* Expects a part in an answer, and releases the answer. */
static void expect(char *answer, const char *part) {
  if (answer == NULL || strstr(answer, part) == NULL) {
    fprintf(stderr, "expected %s\n   found %s\n", part, answer == NULL ? "NULL" : answer);
    failures++;
  }
  fingerpost_free(answer);
}

static void expect_text(function call, const char *text, const char *options, const char *part) {
  /* A copy of exactly this size, so that the sanitizer sees a read behind it. */
  size_t length = strlen(text);
  char *copy = malloc(length == 0 ? 1 : length);
  memcpy(copy, text, length);
  char *answer = call(copy, length, options);
  /* The answer does not depend on the parameters. */
  memset(copy, 'x', length);
  free(copy);
  expect(answer, part);
}

static function function_of(const char *name) {
  if (strcmp(name, "check") == 0) return fingerpost_check;
  if (strcmp(name, "convert") == 0) return fingerpost_convert;
  if (strcmp(name, "label") == 0) return fingerpost_label;
  if (strcmp(name, "uri") == 0) return fingerpost_uri;
  if (strcmp(name, "urn") == 0) return fingerpost_urn;
  fprintf(stderr, "expected a function, found %s\n", name);
  exit(2);
}

static int answer_lines(function call, const char *options) {
  size_t space = 0;
  char *text = NULL;
  ssize_t read;
  while ((read = getdelim(&text, &space, '\0', stdin)) > 0) {
    size_t length = (size_t)read - (text[read - 1] == '\0' ? 1 : 0);
    char *answer = call(text, length, options);
    puts(answer);
    fingerpost_free(answer);
  }
  free(text);
  return 0;
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "call") == 0) return answer_lines(function_of(arguments[2]), arguments[3]);
  if (count == 2) {
    char *definition = fingerpost_definition();
    puts(definition);
    fingerpost_free(definition);
    return 0;
  }

  expect_text(fingerpost_check, "9520123456788", NULL, "\"valid\":true");
  expect_text(fingerpost_check, "9520123456789", "{}", "EAN_CHECK_DIGIT");
  expect_text(fingerpost_check, "", NULL, "\"valid\":false");
  expect_text(fingerpost_convert, "3066c4409047e14000001a85", "{\"to\": \"digital-link\"}",
              "https://id.gs1.org/01/09506000134352/21/6789");
  expect_text(fingerpost_convert, "(01)09506000134352", "{\"to\": \"epc-hex\"}", "\"error\"");
  expect_text(fingerpost_convert, "9520123456788", "{\"too\": \"hri\"}", "unknown field `too`");
  expect_text(fingerpost_convert, "9520123456788", "[", "\"OPTION\"");
  expect_text(fingerpost_convert, "9520123456788", "\xff", "NOT_UTF8");
  expect_text(fingerpost_check, "\xc3", NULL, "NOT_UTF8");
  expect_text(fingerpost_label, "9520123456788", "{\"symbol\": \"ean-13\"}", "<svg");
  expect_text(fingerpost_label, "9520123456788", "{\"symbol\": \"ean-13\", \"format\": \"png\"}", "\"base64\":\"iVBOR");
  expect_text(fingerpost_uri, "https://a.example/b?c#d", NULL, "\"fragment\":\"d\"");
  expect_text(fingerpost_urn, "urn:isbn:0-451-45052-3", NULL, "\"nid\":\"isbn\"");
  expect(fingerpost_check(NULL, 0, NULL), "\"valid\":false");
  expect(fingerpost_check("95\0" "20", 5, NULL), "95\\u000020");
  expect(fingerpost_definition(), "\"forms\":[\"digital-link\"");
  fingerpost_free(NULL);
  if (strlen(fingerpost_version()) < 5) failures++;
  if (failures == 0) puts("C: ownership and refusals are as the header says");
  return failures == 0 ? 0 : 1;
}
