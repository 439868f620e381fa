//! `fingerpost verify`: whether an answer of a resolver, or a kept linkset, is signed by its key.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use fingerpost_server::client::web_agent;
use fingerpost_server::now;
use fingerpost_signature::{
    KeyDirectory, PublicKey, RequestTarget, SignedAnswer, VerifiedAnswer, verify_archive,
};
use serde_json::json;

use crate::failure::Failure;
use crate::limits::{MAX_KEY_FILE, MAX_SIGNED_ANSWER};
use crate::output::{self, ERROR, GOOD, NOTE, printable};
use crate::shared_args::ReportFormat;

/// Exit status if the signature does not hold.
const NOT_PROVEN: u8 = 1;

#[derive(Debug, Args)]
#[command(after_help = "\
An address is requested without following redirects, and the signature of the answer is verified (HTTP Message
Signatures, RFC 9421, with Ed25519; Content-Digest, RFC 9530). The keys are those that the host of the address
publishes at /.well-known/http-message-signatures-directory, so that TLS says whose they are; --keys names keys
that you have from elsewhere. A file holds a linkset as a JSON Web Signature, as a resolver sends it to
`Accept: application/jose`; it needs --keys.

Exit status: 0 the signature holds, 1 it does not or there is none, 2 the check could not be carried out.

Examples:
  fingerpost verify https://id.example.org/01/09520123456788
  fingerpost verify --accept application/linkset+json 'https://id.example.org/01/09520123456788?linkType=linkset'
  fingerpost verify --keys keys.json linkset.jws")]
pub(crate) struct Verify {
    /// Address to request, or file with a signed linkset
    #[arg(value_name = "URL|FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) what: String,
    /// File with the expected keys: a JSON Web Key Set, or one public key in PEM form
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) keys: Option<PathBuf>,
    /// The Accept field of the request
    #[arg(long, value_name = "MEDIA TYPES")]
    pub(crate) accept: Option<String>,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

/// Runs `fingerpost verify`.
pub(crate) fn run(args: &Verify) -> Result<ExitCode, Failure> {
    match is_address(&args.what) {
        true => answer(args),
        false => file(args),
    }
}

fn is_address(what: &str) -> bool {
    what.starts_with("https://") || what.starts_with("http://")
}

/// What was received for a request.
struct Received {
    head: http::response::Parts,
    body: Vec<u8>,
}

fn get(url: &str, accept: &str) -> Result<Received, Failure> {
    let unanswered = |error: ureq::Error| {
        Failure::advise(
            format!("{}: no answer: {error}", printable(url)),
            "check the address, and whether the server runs",
        )
    };
    let request = web_agent(url).get(url).header("accept", accept);
    let answer = request.header("accept-encoding", "identity").call().map_err(unanswered)?;
    let (head, mut body) = answer.into_parts();
    let body = body.with_config().limit(MAX_SIGNED_ANSWER).read_to_vec().map_err(unanswered)?;
    Ok(Received { head, body })
}

fn answer(args: &Verify) -> Result<ExitCode, Failure> {
    let url: http::Uri = args.what.parse().map_err(|_| {
        Failure::advise(
            format!("expected a web address, found {}", printable(&args.what)),
            "write it as `https://id.example.org/01/09520123456788`",
        )
    })?;
    let keys = match &args.keys {
        Some(path) => read_keys(path)?,
        None => published_keys(&url)?,
    };
    let received = get(&args.what, args.accept.as_deref().unwrap_or("*/*"))?;
    let target = RequestTarget {
        path: url.path(),
        query: url.path_and_query().and_then(http::uri::PathAndQuery::query),
    };
    let status = received.head.status.as_u16();
    let headers = &received.head.headers;
    let answer = SignedAnswer { status, headers, body: &received.body };
    let verified = answer.verify(target, &keys, now());
    let location = headers.get("location").and_then(|location| location.to_str().ok());
    let mut out = output::stdout();
    let exit = match verified {
        Ok(verified) => {
            let VerifiedAnswer { key, created, expires, covers } = verified;
            if args.format == ReportFormat::Json {
                let report = json!({ "url": args.what, "verified": true, "status": status, "location": location, "key": key,
                    "created": created.to_string(), "expires": expires.map(|end| end.to_string()), "covers": covers });
                writeln!(out, "{report}")?;
            } else {
                writeln!(out, "{GOOD}verified{GOOD:#}: {}", printable(&args.what))?;
                let to = location.map_or(String::new(), |to| format!(" to {}", printable(to)));
                writeln!(out, "  answer     {status}{to}")?;
                let signer = match &args.keys {
                    None => url.host().unwrap_or_default().to_owned(),
                    Some(path) => format!("a key of {}", path.display()),
                };
                writeln!(out, "  signed by  {} ({})", printable(&signer), printable(&key))?;
                let until = expires.map_or(String::new(), |end| format!(", valid until {end}"));
                writeln!(out, "  signed at  {created}{until}")?;
                writeln!(out, "  covers     {}", printable(&covers.join(" ")))?;
            }
            ExitCode::SUCCESS
        }
        Err(error) => not_proven(args, &error, &mut out)?,
    };
    out.flush()?;
    Ok(exit)
}

fn file(args: &Verify) -> Result<ExitCode, Failure> {
    let Some(keys) = &args.keys else {
        return Err(Failure::advise(
            "a file says nothing about whose key signed it",
            "name the expected keys with --keys; a resolver publishes its own at /.well-known/http-message-signatures-directory",
        ));
    };
    let keys = read_keys(keys)?;
    let text = contents(args.what.as_ref(), MAX_SIGNED_ANSWER)?;
    let verified = verify_archive(&String::from_utf8_lossy(&text), &keys);
    let mut out = output::stdout();
    let exit = match verified {
        Ok(verified) => {
            let created = verified.created.map(|at| at.to_string());
            if args.format == ReportFormat::Json {
                let report = json!({ "file": args.what, "verified": true, "key": verified.key, "created": created,
                    "mediaType": verified.media_type });
                writeln!(out, "{report}")?;
            } else {
                writeln!(out, "{GOOD}verified{GOOD:#}: {}", printable(&args.what))?;
                let media_type = verified.media_type.as_deref().unwrap_or("not stated");
                writeln!(
                    out,
                    "  content    {}, {} bytes",
                    printable(media_type),
                    verified.document.len()
                )?;
                writeln!(out, "  signed by  {}", printable(&verified.key))?;
                writeln!(out, "  signed at  {}", created.as_deref().unwrap_or("not stated"))?;
            }
            ExitCode::SUCCESS
        }
        Err(error) => not_proven(args, &error, &mut out)?,
    };
    out.flush()?;
    Ok(exit)
}

fn not_proven(
    args: &Verify,
    error: &dyn std::error::Error,
    out: &mut impl Write,
) -> std::io::Result<ExitCode> {
    if args.format == ReportFormat::Json {
        let what = if is_address(&args.what) { "url" } else { "file" };
        let report = json!({ what: args.what, "verified": false, "message": error.to_string() });
        writeln!(out, "{report}")?;
    } else {
        writeln!(out, "{ERROR}not proven{ERROR:#}: {}", printable(&args.what))?;
        writeln!(out, "  {}", printable(&error.to_string()))?;
        let help = "rely on the answer only as far as you trust the connection; ask the operator if it should be signed";
        writeln!(out, "  {NOTE}help{NOTE:#}: {help}")?;
    }
    Ok(ExitCode::from(NOT_PROVEN))
}

/// Returns the keys that the host of an address publishes.
fn published_keys(url: &http::Uri) -> Result<KeyDirectory, Failure> {
    let scheme = url.scheme_str().unwrap_or("https");
    let authority = url.authority().map_or("", http::uri::Authority::as_str);
    let address = format!("{scheme}://{authority}{}", KeyDirectory::PATH);
    let received = get(&address, KeyDirectory::MEDIA_TYPE)?;
    if received.head.status != http::StatusCode::OK {
        return Err(Failure::advise(
            format!(
                "{}: expected keys with status 200, found {}",
                printable(&address),
                received.head.status
            ),
            "the resolver does not sign its answers, or its operator publishes the keys elsewhere: name them with --keys",
        ));
    }
    KeyDirectory::from_json(&received.body).map_err(|error| {
        Failure::advise(
            format!("{}: {error}", printable(&address)),
            "ask the operator of the resolver",
        )
    })
}

/// Reads a set of keys, or one key in PEM form.
pub(crate) fn read_keys(path: &std::path::Path) -> Result<KeyDirectory, Failure> {
    let text = contents(path, MAX_KEY_FILE)?;
    let keys = match text.starts_with(b"-----") {
        true => PublicKey::from_pem(&text).map(|key| KeyDirectory::new([key])),
        false => KeyDirectory::from_json(&text),
    };
    keys.map_err(|error| {
        Failure::advise(
            format!("{}: {error}", path.display()),
            "give the keys as the resolver publishes them, or one public key in PEM form",
        )
    })
}

fn contents(path: &std::path::Path, most: u64) -> Result<Vec<u8>, Failure> {
    let unreadable = |reason: String| {
        Failure::advise(format!("{}: {reason}", path.display()), "check the name of the file")
    };
    let bytes = fs::metadata(path).map_err(|error| unreadable(error.to_string()))?.len();
    if bytes > most {
        return Err(unreadable(format!("expected at most {most} bytes, found {bytes}")));
    }
    fs::read(path).map_err(|error| unreadable(error.to_string()))
}
