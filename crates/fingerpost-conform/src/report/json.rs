//! The report as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::ConformReport;

impl ConformReport {
    /// Writes the report as one JSON object.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        let results = self.results.iter().map(|result| {
            let check = result.check;
            let mut value = json!({
                "id": check.id,
                "obligation": check.obligation.as_str(),
                "clause": check.clause,
                "requirements": check.requirements,
                "releases": check.releases(),
                "expected": check.expected,
                "result": result.judgement.as_str(),
                "detail": result.judgement.detail(),
                "advice": check.advice,
            });
            if let Some(trial) = &result.trial {
                value["uri"] = json!(result.subject);
                value["request"] = json!(trial.request.curl());
                value["answer"] = match &trial.response {
                    Err(error) => json!({"error": error}),
                    Ok(response) => json!({
                        "status": response.status,
                        "headers": response.headers,
                        "excerpt": result.answer(),
                    }),
                };
            }
            value
        });
        let value = json!({
            "uris": self.uris,
            "standard": self.standard.as_str(),
            "requests": self.requests,
            "summary": self.summary(),
            "results": results.collect::<Vec<Value>>(),
        });
        serde_json::to_writer_pretty(&mut *out, &value)?;
        writeln!(out)
    }
}
