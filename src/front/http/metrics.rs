//! Counters for Prometheus, in its text format. Labels have few values: the declared route, the
//! method and the status. A label with values from callers would grow without bound.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Mutex;
use std::time::Duration;

use axum::http::Method;

/// Upper bounds of the buckets, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// The counters of all requests.
#[derive(Default)]
pub struct Metrics(Mutex<RequestCounts>);

/// The counters behind the lock.
#[derive(Default)]
struct RequestCounts {
    /// Requests by route, method and status.
    requests: BTreeMap<(String, &'static str, u16), u64>,
    /// Durations by route.
    durations: BTreeMap<String, Durations>,
}

/// A histogram.
#[derive(Default)]
struct Durations {
    /// Requests at most as long as each bound; cumulative, as Prometheus wants it.
    buckets: [u64; BUCKETS.len()],
    /// All requests.
    count: u64,
    /// The sum of their durations in seconds.
    sum: f64,
}

/// A value that goes up and down.
pub struct Gauge {
    /// The name of the metric.
    pub name: &'static str,
    /// Its description.
    pub help: &'static str,
    /// The value now.
    pub value: usize,
}

impl Metrics {
    /// Counts one answered request.
    ///
    /// The duration ends with the head of the answer; a long body is not included. Only declared
    /// routes occur, so the maps stay small.
    pub fn record_request(&self, route: &str, method: &Method, status: u16, took: Duration) {
        let mut counts = self.0.lock().expect("no holder panics");
        let key = (route.to_string(), method_label(method), status);
        *counts.requests.entry(key).or_default() += 1;
        let durations = counts.durations.entry(route.to_string()).or_default();
        let seconds = took.as_secs_f64();
        durations.count += 1;
        durations.sum += seconds;
        for (bound, bucket) in BUCKETS.iter().zip(&mut durations.buckets) {
            *bucket += u64::from(seconds <= *bound);
        }
    }

    /// Renders all counters and the given gauges.
    pub fn render_metrics(&self, gauges: &[Gauge]) -> String {
        let counts = self.0.lock().expect("no holder panics");
        let mut text = String::new();
        let mut line = |line: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{line}");
        };
        line("# HELP ken_http_requests_total Requests that were answered.".to_string());
        line("# TYPE ken_http_requests_total counter".to_string());
        for ((route, method, status), count) in &counts.requests {
            line(format!(
                "ken_http_requests_total{{route=\"{route}\",method=\"{method}\",\
                 status=\"{status}\"}} {count}"
            ));
        }
        let name = "ken_http_request_duration_seconds";
        line(format!("# HELP {name} From the request to the head of its answer."));
        line(format!("# TYPE {name} histogram"));
        for (route, durations) in &counts.durations {
            for (bound, bucket) in BUCKETS.iter().zip(durations.buckets) {
                line(format!("{name}_bucket{{route=\"{route}\",le=\"{bound}\"}} {bucket}"));
            }
            let (count, sum) = (durations.count, durations.sum);
            line(format!("{name}_bucket{{route=\"{route}\",le=\"+Inf\"}} {count}"));
            line(format!("{name}_sum{{route=\"{route}\"}} {sum}"));
            line(format!("{name}_count{{route=\"{route}\"}} {count}"));
        }
        for Gauge { name, help, value } in gauges {
            line(format!("# HELP {name} {help}"));
            line(format!("# TYPE {name} gauge"));
            line(format!("{name} {value}"));
        }
        text
    }
}

/// The label of a method. Unknown methods share one: a caller could invent any number of them.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up() {
        let metrics = Metrics::default();
        for milliseconds in [2, 20, 2000] {
            let took = Duration::from_millis(milliseconds);
            metrics.record_request("/search", &Method::POST, 200, took);
        }
        metrics.record_request("/search", &Method::POST, 400, Duration::ZERO);
        for invented in ["FOO1", "FOO2", "TRACE"] {
            let invented = Method::from_bytes(invented.as_bytes()).unwrap();
            metrics.record_request("unmatched", &invented, 405, Duration::ZERO);
        }
        let text =
            metrics.render_metrics(&[Gauge { name: "ken_jobs_running", help: "Jobs.", value: 2 }]);
        for line in [
            "ken_http_requests_total{route=\"/search\",method=\"POST\",status=\"200\"} 3",
            "ken_http_request_duration_seconds_bucket{route=\"/search\",le=\"0.005\"} 2",
            "ken_http_request_duration_seconds_bucket{route=\"/search\",le=\"+Inf\"} 4",
            "ken_http_request_duration_seconds_count{route=\"/search\"} 4",
            "ken_http_requests_total{route=\"unmatched\",method=\"other\",status=\"405\"} 3",
            "ken_jobs_running 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(!text.contains("FOO"), "{text}");
    }
}
