# Varnish in front of fingerpost, with its module xkey (Debian: varnish-modules).
# fingerpost.toml: [cache] shared_max_age and surrogate_keys = ["xkey"], [purge] service = "varnish".
vcl 4.1;

import xkey;

backend default {
    .host = "127.0.0.1";
    .port = "8080";
}

# The addresses of fingerpost, which purges.
acl purgers {
    "127.0.0.1";
    "::1";
}

sub vcl_recv {
    if (req.method == "PURGE") {
        if (client.ip !~ purgers || !req.http.xkey-purge) {
            return (synth(403));
        }
        set req.http.purged = xkey.purge(req.http.xkey-purge);
        return (synth(200, "Purged " + req.http.purged));
    }
    # Answers do not depend on cookies, and with them, Varnish caches nothing.
    unset req.http.Cookie;
}

sub vcl_deliver {
    unset resp.http.xkey;
}
