//! The contract of engines.

use fingerpost_engine::{Engine, engine_contract};
use fingerpost_testkit::{fresh_postgres, skipped};

fn with_postgres(test: &dyn Fn(&dyn Engine)) {
    match fresh_postgres() {
        Ok(engine) => test(&engine),
        Err(why) => skipped("the contract of engines over PostgreSQL", why),
    }
}

engine_contract!(postgres_engine, with_postgres);
