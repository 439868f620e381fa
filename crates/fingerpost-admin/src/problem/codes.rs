//! Every `code` of a problem, with its status, its meaning, and what to do: the source of
//! `docs/reference/problems.md`.

use http::StatusCode;

/// A code of problems.
struct Code {
    /// The statuses that it comes with.
    statuses: &'static [u16],
    name: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the reference, which a test generates"))]
    meaning: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the reference, which a test generates"))]
    advice: &'static str,
}

const fn code(
    statuses: &'static [u16],
    name: &'static str,
    meaning: &'static str,
    advice: &'static str,
) -> Code {
    Code { statuses, name, meaning, advice }
}

/// Returns whether a code is documented with this status.
pub(super) fn has(status: StatusCode, code: &str) -> bool {
    CODES.iter().any(|known| known.name == code && known.statuses.contains(&status.as_u16()))
}

#[rustfmt::skip]
const CODES: &[Code] = &[
    code(&[400], "malformed-json", "The body is not JSON.", "Correct the syntax at the position in `errors`."),
    code(&[400], "invalid-key", "The level in the path or in the body is not a valid key.", "Check it with `fingerpost check`; `errors` names the invalid part."),
    code(&[400], "invalid-query", "A parameter of the query is unknown, missing or malformed.", "Compare it with the description of the operation."),
    code(&[400], "invalid-header", "A header field such as `If-Match` or `Idempotency-Key` is malformed.", "Send it in the form that the detail describes."),
    code(&[400], "invalid-path", "The path contains `.` or `..` as a segment.", "Percent-encode the values of identifiers."),
    code(&[400], "invalid-revision", "A revision is not a number above 0.", "Take it from `ETag` or from the history."),
    code(&[400], "incomplete", "The connection ended before the body did.", "Send the request again."),
    code(&[401], "unauthenticated", "The API key or session is missing, wrong, expired or revoked.", "Sign in again, or create a key."),
    code(&[401], "sign-in-refused", "Login, password or code is wrong. The answer does not reveal which one.", "Try again; an administrator can set a new password or reset the second factor."),
    code(&[401], "code-required", "The password is correct, and the account has a second factor.", "Send the code as well."),
    code(&[403], "forbidden", "You do not have permission, whether or not the resource exists.", "Ask an administrator for a role, or use a key with this permission."),
    code(&[403], "cross-site", "A request with a session did not come from the console, or lacks `X-CSRF-Token`.", "Programs use an API key; behind a proxy, list the address of the console in `admin.origins`."),
    code(&[404], "not-found", "It does not exist, or you do not have permission to see it.", "Check the address, and which organisation owns the key."),
    code(&[405], "method-not-allowed", "The resource does not support the method.", "Use a method listed in `Allow`."),
    code(&[408], "too-slow", "The body arrived too slowly.", "Send it again, in smaller parts over a slow connection."),
    code(&[409], "conflict", "The change conflicts with the current state.", "Read the resource; `errors` lists the conflicts."),
    code(&[409], "missing-default", "A level would have no default link at it or above it.", "Register the record of the key first, with a default link."),
    code(&[409], "quota-exceeded", "The organisation has used up one of its quotas.", "Delete what is not needed, or ask the operator for a larger quota."),
    code(&[409], "unknown-position", "The store does not have the position from which a copy continues.", "Compare the copy by digests; nodes do this automatically."),
    code(&[409], "history-pruned", "The history that a copy needs to continue was deleted.", "Compare the copy by digests; nodes do this automatically."),
    code(&[412], "precondition-failed", "The level has changed since the revision in `If-Match`, or exists although it should not.", "Read it, apply your change to the current record, and send its `ETag`."),
    code(&[413, 422], "too-large", "The request, the file or the requested data exceeds a limit.", "Split it; the detail names the limit."),
    code(&[415], "unsupported-media-type", "`Content-Type` or `Content-Encoding` is not supported.", "Send one that the detail lists."),
    code(&[422], "invalid", "The document breaks rules.", "Correct everything in `errors`, which lists all faults with their positions."),
    code(&[422], "batch-refused", "Rows of an atomic batch were refused, so nothing was changed.", "Correct the rows in `errors`, or send the batch with `mode=each`."),
    code(&[422], "idempotency-reused", "The `Idempotency-Key` was used for another request.", "Use a new key for each request, and the same only to repeat one."),
    code(&[422], "unknown-columns", "The columns of a spreadsheet are not recognised.", "Map the columns listed in `columns`."),
    code(&[422], "unreadable-file", "The file cannot be read: it is damaged, or its name has the wrong extension.", "Save it again as XLSX, CSV or JSON Lines."),
    code(&[422], "no-label", "No label can be drawn with this content or size.", "Change the width of the modules, the symbol or the address as the detail says."),
    code(&[429], "throttled", "Too many attempts to sign in.", "Wait for the seconds in `Retry-After`."),
    code(&[429], "too-many-requests", "You or your organisation have too many requests in progress, or per second.", "Wait for the seconds in `Retry-After`, and send fewer at a time."),
    code(&[500], "internal-error", "A fault of the server.", "Report `requestId` to the operator, who finds the cause in the log."),
    code(&[503], "busy", "The server has too many requests in progress; nothing was changed.", "Wait for the seconds in `Retry-After`, and repeat the request."),
    code(&[503], "stopping", "The server is being stopped (`/ready`).", "Send requests to another server, or wait for the restart."),
    code(&[503], "store-unavailable", "The store did not answer. The detail says whether nothing was changed.", "Wait for the seconds in `Retry-After`; where the outcome is unknown, read before you repeat, or repeat with the same `Idempotency-Key`."),
    code(&[507], "storage-full", "The disk is full; nothing was changed.", "Ask the operator to free space."),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write as _;
    use std::fs;
    use std::path::Path;

    use super::*;

    fn reference() -> String {
        let mut table = "| status | code | meaning | what to do |\n|---|---|---|---|\n".to_owned();
        for Code { statuses, name, meaning, advice } in CODES {
            let statuses: Vec<_> = statuses.iter().map(ToString::to_string).collect();
            // Writing to a string cannot fail.
            let _ =
                writeln!(table, "| {} | `{name}` | {meaning} | {advice} |", statuses.join(", "));
        }
        table
    }

    #[test]
    fn the_reference_of_problems_has_every_code() {
        const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/problems.md");
        const BEGINS: &str = "<!-- admin -->\n\n";
        let current = fs::read_to_string(PATH).expect("docs/reference/problems.md");
        let (before, rest) = current.split_once(BEGINS).expect("the start of the table");
        let (_, after) = rest.split_once("\n\n").expect("text after the table");
        let expected = format!("{before}{BEGINS}{}\n{after}", reference());
        if std::env::var_os("GENERATE").is_some() {
            fs::write(PATH, &expected).expect("written");
        } else {
            assert!(
                current == expected,
                "docs/reference/problems.md is stale: run this test with GENERATE=1"
            );
        }
    }

    /// Collects the sources but this one, and everything between quotation marks in them.
    fn quoted(folder: &Path, found: &mut BTreeSet<String>, code: &mut String) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                quoted(&path, found, code);
            } else if !path.ends_with("problem/codes.rs")
                && path.extension().is_some_and(|kind| kind == "rs")
            {
                let text = fs::read_to_string(&path).expect("a source");
                found.extend(text.split('"').map(str::to_owned));
                code.push_str(&text);
            }
        }
    }

    /// A code that no source names is not answered; a code that a source gives to a problem is
    /// documented, even if no test gets it.
    #[test]
    fn codes_are_those_of_the_sources() {
        let (mut found, mut code) = (BTreeSet::new(), String::new());
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        quoted(&root.join("src"), &mut found, &mut code);
        quoted(&root.join("../fingerpost-follow/src"), &mut found, &mut String::new());
        for Code { name, .. } in CODES {
            assert!(found.contains(*name), "no source names `{name}`");
        }
        let mut count = 0;
        for begins in ["AdminProblem::new(", "AdminProblem::fault(", "bad_request(", "Self::new("] {
            for (at, _) in code.match_indices(begins) {
                let arguments = code[at + begins.len()..].split(';').next().unwrap_or_default();
                let Some((before, rest)) = arguments.split_once('"') else { continue };
                let name = rest.split('"').next().unwrap_or_default();
                // The code follows the status, or is the first argument.
                let status = before.trim().trim_end_matches(',');
                let status = status.trim_start_matches("StatusCode::");
                if status.chars().any(|char| !char.is_ascii_uppercase() && char != '_') {
                    continue;
                }
                count += 1;
                assert!(CODES.iter().any(|known| known.name == name), "{status} `{name}`");
            }
        }
        assert!(count > 30, "{count}");
    }
}
