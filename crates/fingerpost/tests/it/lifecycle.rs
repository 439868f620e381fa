//! The life of the process under a process manager: it says when it is ready, that it is alive,
//! that it reloads and that it stops; it takes sockets that were opened for it; and it reads a
//! changed configuration by itself.

use crate::support;

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fingerpost_testkit::{Ask, PATIENCE};
use support::nodes::wait_until;
use support::{FINGERPOST, Sandbox, Server, fingerpost, finish, record, send};

/// What the process manager is told until this.
fn told_until(manager: &UnixDatagram, last: &str) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    while !told.last().is_some_and(|told| told.contains(last)) {
        let mut message = [0; 512];
        let length = manager.recv(&mut message).unwrap_or_else(|_| panic!("no {last}: {told:?}"));
        told.push(String::from_utf8_lossy(&message[..length]).into_owned());
    }
    told
}

#[test]
fn the_process_manager_is_told_and_a_stop_is_announced_before_it_happens() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/a")).expect_status(0);
    let manager = UnixDatagram::bind(sandbox.path("notify")).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let config = sandbox.write("fingerpost.toml", "[limits]\nshutdown_drain = \"3s\"\n");
    let mut command = fingerpost();
    command.args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
    command.arg("--data").arg(sandbox.data()).arg("--config").arg(config);
    command.env("NOTIFY_SOCKET", sandbox.path("notify")).env("WATCHDOG_USEC", "1000000");
    let mut server = Server::from_command(command);
    let lines = server.lines_until("admin listening on ");
    let admin = lines.last().unwrap().rsplit("://").next().unwrap().to_owned();
    let told = told_until(&manager, "READY=1");
    assert!(told[..told.len() - 1].iter().all(|told| told.starts_with("EXTEND_TIMEOUT_USEC=")));
    told_until(&manager, "WATCHDOG=1");
    told_until(&manager, "WATCHDOG=1");

    server.signal("HUP");
    let told = told_until(&manager, "RELOADING=1");
    assert!(told.last().unwrap().contains("MONOTONIC_USEC="), "{told:?}");
    told_until(&manager, "READY=1");

    assert_eq!(server.get("/ready").status, 200);
    let begin = Instant::now();
    server.signal("TERM");
    told_until(&manager, "STOPPING=1");
    wait_until("it is not ready", || server.get("/ready").status == 503);
    wait_until("its admin side is not ready", || send(&admin, &Ask::get("/ready")).status == 503);
    assert_eq!(server.get("/01/09520123456788").status, 307, "it goes on meanwhile");
    server.wait();
    assert!(begin.elapsed() >= Duration::from_secs(3), "{:?}", begin.elapsed());
}

/// Scans and administration can be separate processes over one data directory, so that one is
/// restarted or limited without the other.
#[test]
fn the_public_and_the_admin_side_can_be_two_processes() {
    let (sandbox, key) = Sandbox::with_key();
    let anchor = "/01/09520123456788";
    let scans = Server::start(&sandbox.data(), None);
    let config = "listen = []\n[admin]\nlisten = \"127.0.0.1:0\"\n";
    let config = sandbox.write("admin.toml", config);
    let manager = UnixDatagram::bind(sandbox.path("notify")).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let start = || {
        let mut command = fingerpost();
        command.arg("serve").arg("--config").arg(&config).arg("--data").arg(sandbox.data());
        command.env("NOTIFY_SOCKET", sandbox.path("notify")).env("WATCHDOG_USEC", "1000000");
        Server::from_command(command)
    };
    let put = |admin: &Server, target: &str| {
        let url = format!("http://{}", admin.address());
        let mut command = sandbox.client(&url, &key);
        command.args(["put", "-"]);
        finish(command, record(anchor, target).as_bytes()).expect_status(0);
        assert_eq!(scans.get(anchor).header("location").as_deref(), Some(target), "at once");
    };
    let admin = start();
    told_until(&manager, "WATCHDOG=1");
    for round in 0..10 {
        put(&admin, &format!("https://example.com/put/{round}"));
    }
    assert_eq!(send(admin.address(), &Ask::get("/ready")).status, 204);
    // Either goes on without the other.
    admin.kill();
    assert_eq!(scans.get(anchor).status, 307);
    let admin = start();
    put(&admin, "https://example.com/after");
    admin.stop();
    scans.stop();
    let mut nothing = fingerpost();
    nothing
        .args(["serve", "--no-admin", "--config"])
        .arg(&config)
        .arg("--data")
        .arg(sandbox.data());
    let refused = finish(nothing, b"").expect_status(2);
    assert!(refused.stderr.contains("neither the public nor the admin side has an address"));
}

/// Starts a server with a socket as descriptor 3, as a process manager does.
fn activated(sandbox: &Sandbox, socket: TcpListener, name: &str, log: Stdio) -> Command {
    let mut shell = Command::new("sh");
    let script = "exec 3<&0 0</dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$@\"";
    shell
        .args(["-c", script, "sh", FINGERPOST, "serve", "--no-admin", "--data"])
        .arg(sandbox.data());
    shell
        .env("LISTEN_FDNAMES", name)
        .stdin(OwnedFd::from(socket))
        .stdout(Stdio::null())
        .stderr(log);
    shell
}

#[test]
fn a_socket_of_the_process_manager_is_used_and_survives_the_server() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/a")).expect_status(0);
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap().to_string();
    let answered = || send(&address, &Ask::get("/01/09520123456788")).status;
    for name in ["public", "fingerpost.socket"] {
        let given = socket.try_clone().unwrap();
        let mut server = activated(&sandbox, given, name, Stdio::null()).spawn().unwrap();
        // Connections wait in the queue of the socket until the server has started.
        for _ in 0..20 {
            assert_eq!(answered(), 307);
        }
        let id = server.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
        assert!(server.wait().unwrap().success());
    }
    let given = socket.try_clone().unwrap();
    let refused = activated(&sandbox, given, "amdin", Stdio::piped()).output().unwrap();
    let told = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        told.contains("unknown name `amdin`") && told.contains("FileDescriptorName="),
        "{told}"
    );
}

#[test]
fn a_changed_configuration_file_is_read_again_if_that_is_configured() {
    let sandbox = Sandbox::new();
    let file = |name: &str| format!("reload_on_change = true\nname = \"{name}\"\n");
    let config = sandbox.write("fingerpost.toml", &file("Before"));
    let mut command = fingerpost();
    command.args(["serve", "--no-admin", "--listen", "127.0.0.1:0"]);
    command.arg("--data").arg(sandbox.data()).arg("--config").arg(config);
    let log = File::create(sandbox.path("log")).unwrap();
    let server = Server::logging(command, Stdio::from(log));
    let home = || {
        let answer = server.send(&Ask::get("/").header("Accept", "text/html"));
        String::from_utf8_lossy(&answer.body).into_owned()
    };
    let logged = |text: &str| fs::read_to_string(sandbox.path("log")).unwrap().contains(text);
    assert!(home().contains("Before"));
    sandbox.write("fingerpost.toml", "reload_on_change = true\nthreads = 7\n");
    wait_until("the change is refused", || logged("`threads` cannot change while the server runs"));
    assert!(home().contains("Before"), "it is refused as a whole");
    sandbox.write("fingerpost.toml", &file("After"));
    wait_until("the change is in use", || home().contains("After"));
}
