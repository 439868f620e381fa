//! The configuration for Caddy.

use std::fmt::Write as _;

use super::redirects::{language_pattern, type_pattern};
use super::{ABOVE, Facts};

/// Returns a Caddyfile.
pub(super) fn configuration(facts: &Facts) -> String {
    let Facts { folder, link_types, fixed, .. } = facts;
    let mut text = "# Written by `fingerpost export --static`. README.md says what it answers.\n\
         http://127.0.0.1:8080 {\n\troute {\n\t\theader Access-Control-Allow-Origin \"*\"\n"
        .to_owned();
    // Writing to a string cannot fail.
    let mut add = |part: std::fmt::Arguments<'_>| {
        let _ = text.write_fmt(part);
    };
    for file in fixed {
        let media_type = file.media_type.replace(['"', '{', '}'], "");
        add(format_args!(
            "\t\thandle {} {{\n\t\t\troot * \"{folder}/site\"\n\t\t\theader Content-Type \"{media_type}\"\n\t\t\tfile_server\n\t\t}}\n",
            file.path
        ));
    }
    add(format_args!("{PATHS}"));
    let mut tried = "{fp_path}/linkset.json {fp_item}/linkset.json".to_owned();
    let mut from = "fp_path".to_owned();
    for above in 1..=ABOVE {
        let up = format!("fp_up{above}");
        add(format_args!(
            "\t\tmap {{{from}}} {{{up}}} {{\n\t\t\t\"~^(.+)/[^/]+/[^/]+$\" \"${{1}}\"\n\t\t\tdefault \"\"\n\t\t}}\n"
        ));
        tried.push_str(&format!(" {{{up}}}/linkset.json"));
        from = up;
    }
    add(format_args!(
        "\t\t@level file {{\n\t\t\troot \"{folder}/site\"\n\t\t\ttry_files {tried}\n\t\t}}\n"
    ));
    add(format_args!("\t\thandle @level {{\n{LEVEL}"));
    add(format_args!(
        "\t\t\tmap {{http.request.uri.query.linkType}} {{fp_type}} {{\n\t\t\t\t\"\" \"\"\n\t\t\t\t\"~^(?:linkset|all)$\" linkset\n"
    ));
    for link_type in link_types {
        add(format_args!("\t\t\t\t\"~{}\" \"{link_type}\"\n", type_pattern(link_type)));
    }
    add(format_args!("\t\t\t\tdefault unknown\n\t\t\t}}\n"));
    add(format_args!("\t\t\tmap {{http.request.header.Accept-Language}} {{fp_language}} {{\n"));
    for language in facts.ordered_languages() {
        add(format_args!("\t\t\t\t\"~(?i){}\" \"{language}\"\n", language_pattern(language)));
    }
    add(format_args!("\t\t\t\tdefault \"\"\n\t\t\t}}\n"));
    for (key, name, file) in [
        ("{fp_level}|{fp_type}", "{fp_by_type}", "types"),
        ("{fp_level}|{fp_type}|{fp_language}", "{fp_by_language}", "languages"),
    ] {
        add(format_args!(
            "\t\t\tmap \"{key}\" {name} {{\n\t\t\t\timport \"{folder}/caddy/{file}.map\"\n\t\t\t\tdefault \"\"\n\t\t\t}}\n"
        ));
    }
    add(format_args!("{CHOICE}\t\t\troot * \"{folder}/site{{fp_level}}\"\n{ANSWER}"));
    text
}

/// The path of a request, and an item beside its key.
const PATHS: &str = r##"		map {http.request.uri} {fp_path} {
			"~^((?:/[^/?*\[\]\\]+)+?)/?(?:\?.*)?$" "${1}"
			default ""
		}
		map {fp_path} {fp_item} {
			"~^(.*?/(?:01|8006)/[^/]+)/.+(/(?:21|235)/[^/]+)$" "${1}${2}"
			default ""
		}
"##;

/// The level that was found.
const LEVEL: &str = r##"			map {http.matchers.file.relative} {fp_level} {
				"~^/?(.*)/linkset\.json$" "/${1}"
				default ""
			}
"##;

/// From what was found to the answer.
const CHOICE: &str = r##"			map {fp_by_language} {fp_found} {
				"" {fp_by_type}
				default {fp_by_language}
			}
			map "{fp_type} {http.request.header.Accept}" {fp_wants_linkset} {
				"~^linkset " yes
				"~^ .*application/linkset\+json" yes
				default no
			}
			map {fp_found} {fp_before} {
				"~^([^#]*)" "${1}"
				default ""
			}
			map {fp_found} {fp_fragment} {
				"~^[^#]*(#.*)$" "${1}"
				default ""
			}
			map "{http.request.uri.query} {fp_before}" {fp_join} {
				"~^ " ""
				"~[?&]$" ""
				"~ .*\?" "&"
				default "?"
			}
			@redirect expression `{fp_wants_linkset} == "no" && {fp_found} != "" && {fp_found} != "choice"`
			redir @redirect "{fp_before}{fp_join}{http.request.uri.query}{fp_fragment}" 307
			@unavailable expression `{fp_wants_linkset} == "no" && {fp_type} != "" && {fp_found} == ""`
			respond @unavailable 404
			map {http.request.header.Accept} {fp_file} {fp_media_type} {
				"~application/ld\+json" linkset.jsonld application/ld+json
				"~text/html" index.html "text/html; charset=utf-8"
				"~application/(?:linkset\+)?json" linkset.json application/linkset+json
				default index.html "text/html; charset=utf-8"
			}
"##;

/// The file.
const ANSWER: &str = r##"			rewrite * "/{fp_file}"
			header Content-Type "{fp_media_type}"
			file_server
		}
		respond 404
	}
}
"##;
