# Runs the worker with workerd, in the folder of the export: workerd serve worker/workerd.capnp
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "edge", worker = .edge),
    (name = "records", disk = (path = "records")),
    (name = "origin", external = (address = "127.0.0.1:8080", http = ())),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "edge")],
);

const edge :Workerd.Worker = (
  modules = [
    (name = "index.js", esModule = embed "index.js"),
    (name = "fingerpost.js", esModule = embed "fingerpost.js"),
    (name = "fingerpost.wasm", wasm = embed "fingerpost.wasm"),
  ],
  compatibilityDate = "2026-11-01",
  bindings = [
    (name = "RECORDS", service = "records"),
    (name = "ORIGIN", service = "origin"),
  ],
);
