//! The contract of engines.

use fingerpost_postgres::{Address, Postgres, PostgresOptions};
use fingerpost_store::engine::Engine;
use fingerpost_store::engine_contract;
use fingerpost_testkit::{shared_cluster, skipped};

fn with_postgres(test: &dyn Fn(&dyn Engine)) {
    match shared_cluster() {
        Ok(cluster) => {
            let address = Address::parse(&cluster.fresh_schema()).unwrap();
            test(&Postgres::open(&address, PostgresOptions::default()).unwrap());
        }
        Err(why) => skipped("the contract of engines over PostgreSQL", why),
    }
}

engine_contract!(postgres_engine, with_postgres);
