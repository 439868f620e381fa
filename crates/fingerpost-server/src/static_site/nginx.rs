//! The configuration for nginx.

use std::fmt::Write as _;

use super::redirects::{language_pattern, type_pattern};
use super::{ABOVE, Facts};

/// Returns a file to include in the `http` block.
pub(super) fn configuration(facts: &Facts) -> String {
    let mut text = String::from(
        "# Written by `fingerpost export --static`. README.md says what it answers.\n\n",
    );
    maps(facts, &mut text);
    server(facts, &mut text);
    text
}

/// Writes to a string, which cannot fail.
macro_rules! line {
    ($text:expr, $($part:tt)*) => {
        let _ = writeln!($text, $($part)*);
    };
}

fn maps(facts: &Facts, text: &mut String) {
    let Facts { folder, link_types, redirects, longest, .. } = facts;
    // A bucket holds the longest key and its value's address.
    let bucket = (longest + 64).next_power_of_two().max(128);
    let size = (redirects.saturating_mul(2)).clamp(2048, 1 << 30);
    line!(text, "map_hash_max_size {size};\nmap_hash_bucket_size {bucket};\n");
    line!(text, "geo $fp_dollar {{ default \"$\"; }}\n");
    line!(
        text,
        "map $request_uri $fp_path {{\n    \"~^((?:/[^/?*\\[\\]]+)+)/?(?:\\?.*)?$\" $1;\n    default \"\";\n}}"
    );
    for above in 1..=ABOVE {
        let from = if above == 1 { "fp_path".to_owned() } else { format!("fp_up{}", above - 1) };
        line!(
            text,
            "map ${from} $fp_up{above} {{\n    \"~^(.+)/[^/]+/[^/]+$\" $1;\n    default \"\";\n}}"
        );
    }
    // An item is registered beside its key, whatever else the path says.
    line!(
        text,
        "map $fp_path $fp_item {{\n    \"~^(.*?/(?:01|8006)/[^/]+)/.+(/(?:21|235)/[^/]+)$\" $1$2;\n    default \"\";\n}}"
    );
    line!(
        text,
        "map $fp_level $fp_class {{\n    \"~[A-Z].*[a-z]|[a-z].*[A-Z]\" M;\n    \"~[a-z]\" L;\n    default U;\n}}"
    );
    line!(
        text,
        "map $arg_linkType $fp_type {{\n    \"\" \"\";\n    \"~^(?:linkset|all)$\" linkset;"
    );
    for link_type in link_types {
        line!(text, "    \"~{}\" \"{link_type}\";", type_pattern(link_type));
    }
    line!(text, "    default unknown;\n}}");
    line!(text, "map $http_accept_language $fp_language {{");
    for language in facts.ordered_languages() {
        line!(text, "    \"~*{}\" {language};", language_pattern(language));
    }
    line!(text, "    default \"\";\n}}");
    line!(
        text,
        "map \"$fp_class$fp_level|$fp_type\" $fp_by_type {{\n    include \"{folder}/nginx/types.map\";\n    default \"\";\n}}"
    );
    line!(
        text,
        "map \"$fp_class$fp_level|$fp_type|$fp_language\" $fp_by_language {{\n    include \"{folder}/nginx/languages.map\";\n    default \"\";\n}}"
    );
    text.push_str(CHOICE);
}

/// From what was found to the answer.
const CHOICE: &str = r##"map $fp_by_language $fp_found {
    "" $fp_by_type;
    default $fp_by_language;
}
map "$fp_type $http_accept" $fp_wants_linkset {
    "~^linkset " 1;
    "~^ .*application/linkset\+json" 1;
    default "";
}
map $fp_found $fp_choice {
    choice 1;
    default "";
}
map "$fp_wants_linkset$fp_choice" $fp_target {
    "" $fp_found;
    default "";
}
map "$fp_wants_linkset$fp_choice|$fp_type|$fp_target" $fp_unavailable {
    "~^\|[^|]+\|$" 1;
    default "";
}
map $fp_target $fp_before {
    "~^([^#]*)" $1;
    default "";
}
map $fp_target $fp_fragment {
    "~^[^#]*(#.*)$" $1;
    default "";
}
map "$is_args $fp_before" $fp_join {
    "~^ " "";
    "~[?&]$" "";
    "~ .*\?" "&";
    default "?";
}
map $http_accept $fp_file {
    "~application/ld\+json" linkset.jsonld;
    "~text/html" index.html;
    "~application/(?:linkset\+)?json" linkset.json;
    default index.html;
}

"##;

fn server(facts: &Facts, text: &mut String) {
    let Facts { folder, fixed, .. } = facts;
    line!(text, "server {{\n    listen 127.0.0.1:8080;");
    line!(text, "    add_header Access-Control-Allow-Origin \"*\" always;");
    for file in fixed {
        let media_type = file.media_type.replace(['"', '\\', '$'], "");
        line!(
            text,
            "    location = {} {{\n        root \"{folder}/site\";\n        types {{ }}\n        default_type \"{media_type}\";\n    }}",
            file.path
        );
    }
    line!(
        text,
        "    location ^~ /_/ {{\n        internal;\n        alias \"{folder}/site/\";\n        types {{\n            application/linkset+json json;\n            application/ld+json jsonld;\n            \"text/html\" html;\n        }}\n        charset utf-8;\n        charset_types text/html;\n    }}"
    );
    line!(text, "    location / {{\n        set $fp_level \"\";");
    for above in (1..=ABOVE).rev() {
        line!(
            text,
            "        if (-f \"{folder}/site$fp_up{above}/linkset.json\") {{ set $fp_level $fp_up{above}; }}"
        );
    }
    line!(
        text,
        "        if (-f \"{folder}/site$fp_item/linkset.json\") {{ set $fp_level $fp_item; }}"
    );
    line!(
        text,
        "        if (-f \"{folder}/site$fp_path/linkset.json\") {{ set $fp_level $fp_path; }}"
    );
    text.push_str(
        "        if ($fp_level = \"\") { return 404; }\n        \
         if ($fp_target) { return 307 \"$fp_before$fp_join$args$fp_fragment\"; }\n        \
         if ($fp_unavailable) { return 404; }\n        \
         rewrite ^ /_$fp_level/$fp_file last;\n    }\n}\n",
    );
}
