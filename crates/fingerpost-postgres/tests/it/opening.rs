//! Opening: TLS, several nodes at once, tables of other releases, and callers on threads of other
//! runtimes.

use std::thread;
use std::time::Duration;

use fingerpost_engine::{Engine, EngineError, Mutate, Prefetch, Table, Verdict};
use fingerpost_postgres::{DatabaseAddress, Postgres, PostgresOptions};
use fingerpost_store::Store;
use fingerpost_testkit::{Cluster, fresh_postgres, shared_cluster, skipped};

fn open(url: &str) -> Result<Postgres, EngineError> {
    let options = PostgresOptions::default().patience(Duration::from_secs(2));
    Postgres::open(&DatabaseAddress::parse(url).unwrap(), options)
}

#[test]
fn tls_verifies_the_server() {
    let cluster = match Cluster::start(&[]) {
        Ok(cluster) => cluster,
        Err(why) => return skipped("TLS to PostgreSQL", &why),
    };
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let own = cluster.write_file("server.pem", &made.cert.pem());
    let key = cluster.write_file("server.key", &made.signing_key.serialize_pem());
    let (own, key) = (own.display(), key.display());
    for setting in
        [&format!("ssl_cert_file = '{own}'"), &format!("ssl_key_file = '{key}'"), "ssl = on"]
    {
        let _ = cluster.sql(&format!("ALTER SYSTEM SET {setting}"));
    }
    let _ = cluster.sql("SELECT pg_reload_conf()");
    let dir = tempfile::tempdir().unwrap();
    let roots = dir.path().join("roots.pem");
    std::fs::write(&roots, made.cert.pem()).unwrap();
    let (port, roots) = (cluster.port(), roots.display());
    let url =
        |host: &str, rest: &str| format!("postgres://fingerpost@{host}:{port}/postgres?{rest}");

    let verified = format!("sslmode=verify-full&sslrootcert={roots}");
    let engine = open(&url("localhost", &verified)).unwrap();
    drop(engine.snapshot().unwrap());
    let encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                     WHERE application_name = 'fingerpost'";
    assert_eq!(cluster.sql(encrypted), "t");
    // Another name, and an authority that is not trusted.
    let other_name = open(&url("127.0.0.1", &verified)).unwrap_err().to_string();
    assert!(other_name.contains("certificate"), "{other_name}");
    let untrusted = open(&url("localhost", "sslmode=verify-full")).unwrap_err().to_string();
    assert!(untrusted.contains("certificate"), "{untrusted}");
    // A server without TLS is not talked to in clear text.
    let _ = cluster.sql("ALTER SYSTEM SET ssl = off");
    let _ = cluster.sql("SELECT pg_reload_conf()");
    let plain = open(&url("localhost", &verified)).unwrap_err().to_string();
    assert!(plain.contains("TLS"), "{plain}");
}

#[test]
fn nodes_that_start_at_once_create_the_tables_once() {
    let cluster = match shared_cluster() {
        Ok(cluster) => cluster,
        Err(why) => return skipped("several nodes at once", why),
    };
    for _ in 0..3 {
        let url = cluster.fresh_schema();
        thread::scope(|scope| {
            let nodes: Vec<_> =
                (0..8).map(|_| scope.spawn(|| Store::over(open(&url).unwrap()).unwrap())).collect();
            for node in nodes {
                assert_eq!(node.join().unwrap().revision().unwrap().number(), 0);
            }
        });
    }
}

#[test]
fn tables_of_a_newer_release_are_left_alone() {
    let cluster = match shared_cluster() {
        Ok(cluster) => cluster,
        Err(why) => return skipped("tables of a newer release", why),
    };
    let url = cluster.fresh_schema();
    drop(open(&url).unwrap());
    let schema = url.split_once("schema=").unwrap().1;
    let _ = cluster.sql(&format!("UPDATE {schema}.state SET layout = 2"));
    let error = open(&url).unwrap_err();
    assert!(matches!(error, EngineError::NewerFormat { found: 2, supported: 1 }), "{error}");
}

#[test]
fn a_database_that_is_not_there_is_an_error_in_time() {
    let error = open("postgres://fingerpost@127.0.0.1:1/postgres").unwrap_err();
    assert!(matches!(&error, EngineError::Database { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("postgres://127.0.0.1:1/postgres"), "{text}");
}

#[test]
fn a_thread_of_another_runtime_may_call() {
    let engine = match fresh_postgres() {
        Ok(engine) => engine,
        Err(why) => return skipped("calls from a runtime", why),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async move {
        let put = &mut |rows: &mut dyn Mutate| {
            rows.put(Table::Documents, b"a", b"1").map(|()| Verdict::Keep)
        };
        engine.write(&Prefetch::NONE, put).unwrap();
        assert!(engine.snapshot().unwrap().get(Table::Documents, b"a").unwrap().is_some());
        drop(engine);
    });
}
