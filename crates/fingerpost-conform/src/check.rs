//! A check: what the standard requires, and how its result is expressed.

/// A release of the GS1-Conformant Resolver Standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Release {
    /// Release 1.0 (February 2024).
    V1_0,
    /// Release 1.1 (February 2025).
    V1_1,
    /// Release 1.2 (January 2026).
    V1_2,
}

impl Release {
    /// Returns the number of the release.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0",
            Self::V1_1 => "1.1",
            Self::V1_2 => "1.2",
        }
    }
}

/// How binding a requirement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obligation {
    /// Recommended.
    Should,
    /// Required.
    Shall,
}

impl Obligation {
    /// Returns the word of the standard.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Should => "SHOULD",
            Self::Shall => "SHALL",
        }
    }
}

/// A requirement that can be seen from outside.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The id, which does not change between versions of this program.
    pub id: &'static str,
    /// How binding the requirement is.
    pub obligation: Obligation,
    /// The clause of the resolver standard, or of the RFC that it refers to.
    pub clause: &'static str,
    /// The rows of `docs/requirements/resolver.md`.
    pub requirements: &'static [&'static str],
    /// The first release with this requirement.
    pub since: Release,
    /// The last release with this requirement.
    pub until: Release,
    /// The expected behaviour.
    pub expected: &'static str,
    /// The data or features that the check needs.
    pub needs: &'static str,
    /// How to correct a failure.
    pub advice: &'static str,
}

impl Check {
    /// Creates a check of a SHALL, in all releases.
    pub(crate) const fn shall(
        id: &'static str,
        clause: &'static str,
        requirements: &'static [&'static str],
    ) -> Self {
        Self {
            id,
            obligation: Obligation::Shall,
            clause,
            requirements,
            since: Release::V1_0,
            until: Release::V1_2,
            expected: "",
            needs: "an answer to the request that the check judges",
            advice: "",
        }
    }

    /// Creates a check of a SHOULD, in all releases.
    pub(crate) const fn should(
        id: &'static str,
        clause: &'static str,
        requirements: &'static [&'static str],
    ) -> Self {
        let mut check = Self::shall(id, clause, requirements);
        check.obligation = Obligation::Should;
        check
    }

    pub(crate) const fn since(mut self, release: Release) -> Self {
        self.since = release;
        self
    }

    pub(crate) const fn until(mut self, release: Release) -> Self {
        self.until = release;
        self
    }

    /// Whether a release of the standard has this requirement.
    pub fn applies_to(&self, release: Release) -> bool {
        self.since <= release && release <= self.until
    }

    /// Returns the releases with this requirement.
    pub fn releases(&self) -> String {
        match (self.since, self.until) {
            (since, Release::V1_2) => format!("since {}", since.as_str()),
            (Release::V1_0, until) => format!("until {}", until.as_str()),
            (since, until) => format!("{} to {}", since.as_str(), until.as_str()),
        }
    }

    pub(crate) const fn expects(mut self, expected: &'static str) -> Self {
        self.expected = expected;
        self
    }

    pub(crate) const fn needs(mut self, needs: &'static str) -> Self {
        self.needs = needs;
        self
    }

    pub(crate) const fn advice(mut self, advice: &'static str) -> Self {
        self.advice = advice;
        self
    }
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It could not be tried, for this reason.
    NotTried(String),
    /// Every answer was as expected.
    Pass,
    /// The standard can be read in two ways, and the answer conforms to one of them: what was
    /// found.
    Depends(String),
    /// An answer was not as expected: what was found.
    Fail(String),
}

impl Judgement {
    /// Returns the word for the result in machine-readable reports.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::NotTried(_) => "not-tried",
            Self::Pass => "pass",
            Self::Depends(_) => "depends",
            Self::Fail(_) => "fail",
        }
    }

    /// Returns what was found, or why the check was not tried; empty for a pass.
    pub fn detail(&self) -> &str {
        match self {
            Self::Pass => "",
            Self::NotTried(text) | Self::Depends(text) | Self::Fail(text) => text,
        }
    }

    /// Returns the order of results: the highest of several observations is the result.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::NotTried(_) => 0,
            Self::Pass => 1,
            Self::Depends(_) => 2,
            Self::Fail(_) => 3,
        }
    }
}
