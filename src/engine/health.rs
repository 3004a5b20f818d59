//! Health checks of this installation, each with a remedy.
//!
//! These are the checks of `ken doctor`. A check never fails and changes nothing: an error becomes
//! a finding. Messages pass through redaction, because they quote settings and servers.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Engine, EngineError, State, StoreError};
use crate::config::clients::{CLIENTS, ClientPaths, SERVER_NAME};
use crate::config::{Origin, Refusal};
use kenning_model::redact;
use kenning_source as source;

/// The result of one check.
///
/// The remedy is a command or a sentence that a user can act on.
pub struct HealthFinding {
    pub check: &'static str,
    pub verdict: Verdict,
    pub message: String,
    /// The remedy, if there is a problem.
    pub remedy: Option<String>,
}

/// The thoroughness of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthDepth {
    Quick,
    /// Also reads all of every index, and verifies the checksums.
    Deep,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Good,
    /// It works, but not as well as it could.
    Fair,
    Bad,
}

impl Verdict {
    /// Returns the word of the wire format.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Good => "good",
            Verdict::Fair => "fair",
            Verdict::Bad => "bad",
        }
    }
}

/// The remedy if another finding already names the cause.
const SEE_BACKEND: &str = "see `backend` above";

/// The free space below which an index of a large repository may not fit.
const LOW_DISK_SPACE: u64 = 2 << 30;

impl Engine {
    /// Runs every check and returns the findings in a fixed order. It may contact the backend and
    /// the embedding service.
    pub fn check_health(&self, depth: HealthDepth) -> Vec<HealthFinding> {
        let mut findings = vec![self.settings_health()];
        findings.extend(self.repository_settings_health());
        findings.extend(self.backend_health());
        findings.extend([
            self.code_health(),
            self.package_health(),
            self.provider_health(),
            self.watch_health(),
            self.client_health(),
            self.disk_health(),
        ]);
        if depth == HealthDepth::Deep {
            findings.extend(self.stored_data_health());
        }
        for finding in &mut findings {
            finding.message = self.hide_user_folders(&finding.message).into_owned();
            let remedy = finding.remedy.as_deref().map(|remedy| self.hide_user_folders(remedy));
            finding.remedy = remedy.map(Cow::into_owned);
        }
        findings
    }

    /// Reads the settings again, because a server started with those that were valid then.
    fn settings_health(&self) -> HealthFinding {
        let check = "settings";
        match self.config.problems().as_slice() {
            [] => good_finding(check, "read without a complaint".to_string()),
            problems => {
                let remedy = "fix that; `ken config --help` lists the settings. Until then a \
                              server answers questions without that file, and other commands \
                              refuse to run";
                bad_finding(check, &problems.join("; "), remedy)
            }
        }
    }

    /// Checks the settings from the repository's own files. It returns a finding for each ignored
    /// one, else one for those that the user trusts.
    fn repository_settings_health(&self) -> Vec<HealthFinding> {
        let check = "repository settings";
        let refusals = self.config.refusals();
        if refusals.is_empty() {
            let is_trusted = |origin: &Origin| matches!(origin, Origin::TrustedFile(_));
            let trusted = self.config.entries().filter(|(_, _, origin)| is_trusted(origin));
            let keys: Vec<&str> = trusted.map(|(setting, ..)| setting.key).collect();
            let says = || format!("you trust the repository to set {}", keys.join(", "));
            return if keys.is_empty() { Vec::new() } else { vec![good_finding(check, says())] };
        }
        let finding = |refusal: &Refusal| {
            let remedy = if refusal.can_be_trusted() {
                "nothing, if you do not know this repository; else `ken trust` shows and allows it"
            } else {
                "put it into your own config.toml if you want it"
            };
            fair_finding(check, &refusal.to_string(), remedy)
        };
        refusals.iter().map(finding).collect()
    }

    /// Reports the worst problem only: missing, incomplete, stale, then partly readable files.
    fn code_health(&self) -> HealthFinding {
        let check = "code index";
        if self.is_using_other_root() {
            return fair_finding(check, "there is none of this place yet", "ken index");
        }
        let status = match self.code(None).and_then(|index| self.code_status(&index)) {
            Ok(status) => status,
            Err(EngineError::NoCodeIndex { .. }) => {
                return fair_finding(check, "there is none yet", "ken index");
            }
            Err(EngineError::Store(StoreError::Server { .. })) => {
                return fair_finding(
                    check,
                    "it is on the server, which cannot be asked",
                    SEE_BACKEND,
                );
            }
            Err(error) => return bad_finding(check, &error.to_string(), "ken index --force"),
        };
        let problems = status.problems.len();
        if status.is_incomplete {
            fair_finding(check, "indexing did not end", "ken index")
        } else if status.changed_files > 0 {
            let says = format!(
                "{} files are new, changed or gone; {} are indexed",
                status.changed_files, status.stats.files
            );
            fair_finding(check, &says, "ken index, or ken watch to keep it up to date")
        } else if problems > 0 {
            let says = match problems {
                1 => "1 file could be read in part only".to_string(),
                _ => format!("{problems} files could be read in part only"),
            };
            fair_finding(check, &says, "ken status --skipped lists them")
        } else {
            good_finding(
                check,
                format!("{} files, none of them new, changed or gone since", status.stats.files),
            )
        }
    }

    /// Checks the package database and the problems of manifests.
    fn package_health(&self) -> HealthFinding {
        let check = "package index";
        match self.packages() {
            Ok(view) if view.problems.is_empty() => {
                good_finding(check, "every manifest was read".to_string())
            }
            Ok(view) => {
                let says = format!("{} problems in manifests", view.problems.len());
                fair_finding(check, &says, "ken packages status lists them")
            }
            Err(EngineError::NoPackageIndex { .. }) => {
                fair_finding(check, "there is none yet", "ken index")
            }
            Err(error) => bad_finding(check, &error.to_string(), "ken index --force"),
        }
    }

    /// Checks the provider that a query without a provider would use.
    fn provider_health(&self) -> HealthFinding {
        let check = "embedding provider";
        let chosen = self.providers().into_iter().find(|one| one.is_chosen);
        match chosen.map(|provider| (provider.name, provider.state)) {
            Some((name, State::Available { model, .. })) => {
                good_finding(check, format!("{name}, {model}"))
            }
            Some((name, State::Unavailable { why, remedy })) => {
                bad_finding(check, &format!("{name}: {why}"), &remedy)
            }
            None => bad_finding(
                check,
                "the configured provider is unknown",
                "ken providers lists them; set `embedding.provider`",
            ),
        }
    }

    /// Verifies every page of every collection on this machine. A damaged one is marked, and the
    /// next update rebuilds it.
    fn stored_data_health(&self) -> Vec<HealthFinding> {
        let check = "stored data";
        let all = self.collections().map(|collections| collections.all()).unwrap_or_default();
        let count = all.len();
        let mut findings = Vec::new();
        for collection in all {
            match collection.verify_databases() {
                Ok(damaged) => findings.extend(damaged.into_iter().map(|(database, pages)| {
                    let says = format!("{} has {pages} damaged pages", database.display());
                    bad_finding(
                        check,
                        &says,
                        "the next question about it or `ken index` rebuilds it",
                    )
                })),
                Err(error) => findings.push(bad_finding(
                    check,
                    &error.to_string(),
                    "fix the permissions or the disk",
                )),
            }
        }
        if findings.is_empty() {
            findings.push(good_finding(
                check,
                format!("every page of {count} collections has the right checksum"),
            ));
        }
        findings
    }

    /// Compares the number of folders to watch with the limit of the system.
    ///
    /// Only Linux has such a limit. The check counts the folders of indexed files, which is what a
    /// watch needs.
    fn watch_health(&self) -> HealthFinding {
        let check = "watching";
        let Some(limit) = source::watch_limit() else {
            return good_finding(check, "the system sets no limit".to_string());
        };
        let files = self.code(None).and_then(|index| index.files());
        let folders: BTreeSet<String> = files
            .unwrap_or_default()
            .iter()
            .filter_map(|path| path.rsplit_once('/').map(|(folder, _)| folder.to_string()))
            .collect();
        let needed = folders.len() as u64 + 1;
        if needed < limit {
            return good_finding(check, format!("{needed} of {limit} folders that may be watched"));
        }
        fair_finding(
            check,
            &format!(
                "{needed} folders, where the system watches {limit}: changes are looked for in turns"
            ),
            "sysctl fs.inotify.max_user_watches=524288",
        )
    }

    /// Looks for MCP clients of this machine, and for Kenning in their lists.
    fn client_health(&self) -> HealthFinding {
        let check = "MCP clients";
        let places = ClientPaths::new(self.config.process_env(), self.config.root());
        let present = CLIENTS.iter().filter(|client| client.is_present(&places));
        let (mut with, mut without, mut broken) = (Vec::new(), Vec::new(), Vec::new());
        for client in present {
            let root = self.config.root();
            let problems = client.problems(&places, root).into_iter();
            broken.extend(problems.map(|problem| format!("{}: {problem}", client.title)));
            let knows = client.has_server(SERVER_NAME, &places, root);
            if knows { &mut with } else { &mut without }.push(client.title);
        }
        if !broken.is_empty() {
            let remedy = "fix that file by hand, then `ken install`; Kenning leaves it as it is";
            return bad_finding(check, &broken.join("; "), remedy);
        }
        match (with.is_empty(), without.is_empty()) {
            (true, true) => good_finding(check, "none was found".to_string()),
            (_, true) => good_finding(check, format!("known to {}", with.join(", "))),
            (_, false) => {
                let says = format!("not known to {}", without.join(", "));
                fair_finding(check, &says, "ken install")
            }
        }
    }

    /// Checks that indexes can be written and that there is room.
    fn disk_health(&self) -> HealthFinding {
        let check = "disk";
        let Some(home) = self.config.path("home") else {
            return bad_finding(check, "there is no home for indexes", "set KEN_HOME");
        };
        if !source::is_writable(&home) {
            let says = format!("{} cannot be written, so nothing can be indexed", home.display());
            return bad_finding(check, &says, "fix its permissions, or set KEN_HOME");
        }
        match source::free_space(&home) {
            None => good_finding(check, format!("indexes are in {}", home.display())),
            Some(free) if free < LOW_DISK_SPACE => {
                let says = format!("{} MB free where indexes are ({})", free >> 20, home.display());
                fair_finding(
                    check,
                    &says,
                    "make room, `ken forget` what is not needed, or set KEN_HOME",
                )
            }
            Some(free) => {
                good_finding(check, format!("{} GB free in {}", free >> 30, home.display()))
            }
        }
    }
}

/// Builds a finding without a problem.
pub(super) fn good_finding(check: &'static str, says: String) -> HealthFinding {
    let says = redact::hide_secrets(&says).into_owned();
    HealthFinding { check, verdict: Verdict::Good, message: says, remedy: None }
}

/// Builds a finding for something that works, but could work better.
pub(super) fn fair_finding(check: &'static str, says: &str, remedy: &str) -> HealthFinding {
    HealthFinding {
        check,
        verdict: Verdict::Fair,
        message: redact::hide_secrets(says).into_owned(),
        remedy: Some(redact::hide_secrets(remedy).into_owned()),
    }
}

/// Builds a finding for something that does not work.
pub(super) fn bad_finding(check: &'static str, says: &str, remedy: &str) -> HealthFinding {
    HealthFinding { verdict: Verdict::Bad, ..fair_finding(check, says, remedy) }
}
