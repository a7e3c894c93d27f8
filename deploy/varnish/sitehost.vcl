# Varnish 7 as a CDN in front of Sitehost, behind what ends TLS: docs/operating.md, "Behind a CDN". Replace
# sitehost.example by the application's host, and the token by CDN_PURGE_TOKEN.
vcl 4.1;

import std;

backend sitehost {
  .host = "127.0.0.1";
  .port = "3000";
  # Of an answer that the service works for, such as an upload's progress.
  .first_byte_timeout = 300s;
  .between_bytes_timeout = 300s;
}

# What ends TLS, and says who a visitor is.
acl front {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.method == "POST" && req.url == "/.sitehost/purge") {
    if (req.http.Authorization != "Bearer replace-this-token") {
      return (synth(403));
    }
    if (req.http.Surrogate-Key !~ "^[a-z0-9. -]+$") {
      return (synth(400));
    }
    if (req.http.Surrogate-Key == "all") {
      ban("obj.status != 0");
    } else {
      ban("obj.http.X-Kept-Host ~ ^(" + regsuball(req.http.Surrogate-Key, " +", "|") + ")$");
    }
    return (synth(200));
  }
  # What is kept is kept by Host: nothing else may say which site it is.
  unset req.http.X-Forwarded-Host;
  # Varnish has added the address of the front to that of the visitor.
  if (client.ip ~ front) {
    set req.http.X-Forwarded-For = regsub(req.http.X-Forwarded-For, ",[^,]*$", "");
  } else {
    set req.http.X-Forwarded-For = client.ip;
    unset req.http.X-Forwarded-Proto;
  }
  if (req.http.Host ~ "(?i)^sitehost\.example(:[0-9]+)?$") {
    return (pass);
  }
  if (req.method != "GET" && req.method != "HEAD") {
    return (pass);
  }
  # Sites have no sessions: where a cookie matters, Vary says so.
  return (hash);
}

sub vcl_backend_response {
  # As purges name it: without a trailing dot and the port.
  set beresp.http.X-Kept-Host = std.tolower(regsub(bereq.http.Host, "\.?(:[0-9]+)?$", ""));
  if (beresp.http.CDN-Cache-Control ~ "(?i)private|no-store|no-cache") {
    set beresp.ttl = 0s;
  } else if (beresp.http.CDN-Cache-Control ~ "(?i)max-age=[0-9]+") {
    set beresp.ttl = std.duration(regsub(beresp.http.CDN-Cache-Control, "(?i)^.*max-age=([0-9]+).*$", "\1s"), 0s);
  }
  # While it is refreshed, and for as long when Sitehost does not answer. What was purged is gone at once.
  set beresp.grace = 1h;
  set beresp.keep = 1d;
}

sub vcl_deliver {
  if (obj.hits > 0) {
    set resp.http.X-Cache = "hit";
  } else {
    set resp.http.X-Cache = "miss";
  }
  unset resp.http.CDN-Cache-Control;
  unset resp.http.X-Kept-Host;
}
