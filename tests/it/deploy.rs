//! Compares the files of `deploy/` with each other and with the settings: names that must be the
//! same are the same, and every variable is one that Kenning reads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kenning::config::{
    Config, FOREIGN_VARIABLES, ProcessEnv, SETTINGS, usual_default, variable_name,
};
use serde_json::{Map, Value};

fn text(name: &str) -> String {
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    std::fs::read_to_string(deploy.join(name)).unwrap()
}

fn compose() -> Value {
    // Merge keys are followed, as compose does.
    serde_saphyr::from_str(&text("compose.yaml")).unwrap()
}

/// Every object of the cluster.
fn manifests() -> Vec<Value> {
    let names = ["http", "indexer", "qdrant", "settings"];
    let documents = names.map(|name| {
        let text = text(&format!("kubernetes/{name}.yaml"));
        serde_saphyr::from_multiple::<Value>(&text).unwrap()
    });
    documents.concat()
}

fn of_kind<'o>(objects: &'o [Value], kind: &str) -> Vec<&'o Value> {
    let is_it = |object: &&Value| object["kind"] == kind;
    objects.iter().filter(is_it).collect()
}

fn named<'o>(objects: &'o [Value], kind: &str, name: &Value) -> &'o Value {
    let found = of_kind(objects, kind);
    let found = found.into_iter().find(|object| object["metadata"]["name"] == *name);
    found.unwrap_or_else(|| panic!("no {kind} {name}"))
}

/// The pods of what makes some, with the object itself.
fn pods(objects: &[Value]) -> Vec<(&Value, &Value)> {
    let pods = objects.iter().filter_map(|object| {
        let template = match object["kind"].as_str()? {
            "Deployment" | "StatefulSet" => &object["spec"]["template"],
            _ => return None,
        };
        Some((object, template))
    });
    pods.collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn map(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap_or_else(|| panic!("{value}"))
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value}"))
}

fn default_port() -> String {
    let port = SETTINGS.iter().find(|setting| setting.key == "http.port");
    usual_default(port.unwrap()).unwrap()
}

/// Each is read by somebody, and takes the value.
fn check_variables<'v>(given: impl Iterator<Item = (&'v str, &'v str)>) -> Config {
    let own: BTreeSet<String> = SETTINGS.iter().map(variable_name).collect();
    let mut variables = BTreeMap::new();
    for (name, value) in given {
        let is_known =
            own.contains(name) || FOREIGN_VARIABLES.iter().any(|(known, _)| *known == name);
        assert!(is_known, "nobody reads {name}");
        variables.insert(name.to_string(), value.to_string());
    }
    let surroundings = ProcessEnv { variables, ..ProcessEnv::default() };
    Config::load(Path::new("/nowhere"), &[], &surroundings).unwrap()
}

/// The hosts of `qdrant.url`, each with Qdrant's port.
fn qdrant_hosts(config: &Config) -> Vec<String> {
    let hosts = config.text("qdrant.url").unwrap().split(',').map(|url| {
        let host = url.strip_prefix("http://").unwrap();
        let (host, port) = host.split_once(':').unwrap();
        assert_eq!(port, "6333");
        host.to_string()
    });
    hosts.collect()
}

#[test]
fn every_anchor_of_the_compose_file_is_used() {
    let text = text("compose.yaml");
    let anchors = text.split_whitespace().filter_map(|word| word.strip_prefix('&'));
    let anchors: Vec<&str> = anchors.collect();
    assert!(!anchors.is_empty());
    for anchor in anchors {
        let alias = format!("*{anchor}");
        let is_used = text.split_whitespace().any(|word| word == alias);
        assert!(is_used, "&{anchor}");
    }
}

#[test]
fn the_compose_file_fits() {
    let compose = compose();
    let services = map(&compose["services"]);
    let dockerfile = text("Dockerfile");
    let home = dockerfile.lines().find_map(|line| line.strip_prefix("ENV KEN_HOME=")).unwrap();
    for (name, service) in services {
        for other in list(&service["depends_on"]) {
            assert!(services.contains_key(word(other)), "{name}: {other}");
        }
        for volume in list(&service["volumes"]) {
            let (source, target) = word(volume).split_once(':').unwrap();
            let is_named = map(&compose["volumes"]).contains_key(source);
            assert!(is_named || source.starts_with("./"), "{name}: {volume}");
            let is_of_ken = name == "indexer" && is_named;
            assert!(!is_of_ken || target == home, "{name}: {volume}");
        }
    }
    for name in ["http", "indexer"] {
        let environment = map(&services[name]["environment"]).iter();
        let given = environment.map(|(name, value)| (name.as_str(), word(value)));
        let config = check_variables(given);
        let hosts = qdrant_hosts(&config);
        assert!(hosts.iter().all(|host| services.contains_key(host)));
        let nodes = services.keys().filter(|name| name.starts_with("qdrant-"));
        assert_eq!(hosts.len(), nodes.count());
        assert!(config.number("qdrant.replicas").unwrap() <= hosts.len() as u64);
    }
    let published = word(&services["http"]["ports"][0]);
    let (outside, inside) = published.rsplit_once(':').unwrap();
    assert_eq!(inside, default_port());
    let (first, last) = outside.split_once('-').unwrap();
    let (first, last): (u64, u64) = (first.parse().unwrap(), last.parse().unwrap());
    assert_eq!(services["http"]["deploy"]["replicas"].as_u64(), Some(last - first + 1));
}

/// A volume takes over the owner of the folder that it is mounted over; without one it is root's.
#[test]
fn the_image_has_a_folder_that_its_user_may_write() {
    let dockerfile = text("Dockerfile");
    let lines: Vec<&str> = dockerfile.lines().collect();
    let at = |start: &str| {
        let found = lines.iter().position(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("no {start}"))
    };
    let made = at("RUN mkdir \"$KEN_HOME\" && chown ken:ken \"$KEN_HOME\"");
    assert!(at("ENV KEN_HOME=") < made && made < at("USER 10001"));
    assert_eq!(lines[at("EXPOSE")], format!("EXPOSE {}", default_port()).as_str());
    let ignored = include_str!("../../.dockerignore");
    for name in [".git", "target"] {
        assert!(ignored.lines().any(|line| line == name), "{name}");
    }
}

#[test]
fn the_pods_are_those_that_are_selected() {
    let objects = manifests();
    let pods = pods(&objects);
    for (owner, pod) in &pods {
        let wanted = &owner["spec"]["selector"]["matchLabels"];
        assert_eq!(*wanted, pod["metadata"]["labels"]);
    }
    let services = of_kind(&objects, "Service");
    assert_eq!(services.len(), 3);
    for service in services {
        let selector = map(&service["spec"]["selector"]);
        let pod = pods.iter().find(|(_, pod)| {
            let labels = &pod["metadata"]["labels"];
            selector.iter().all(|(name, value)| labels[name] == *value)
        });
        let (_, pod) = pod.unwrap_or_else(|| panic!("{service}"));
        let containers = list(&pod["spec"]["containers"]).iter();
        let ports = containers.filter_map(|container| container["ports"].as_array());
        let ports: Vec<&Value> = ports.flatten().collect();
        for port in list(&service["spec"]["ports"]) {
            let target = match &port["targetPort"] {
                Value::Null => &port["port"],
                target => target,
            };
            let is_it =
                |known: &&Value| known["name"] == *target || known["containerPort"] == *target;
            assert!(ports.iter().any(is_it), "{port}");
        }
    }
    for scaler in of_kind(&objects, "HorizontalPodAutoscaler") {
        let target = &scaler["spec"]["scaleTargetRef"];
        named(&objects, word(&target["kind"]), &target["name"]);
    }
    for budget in of_kind(&objects, "PodDisruptionBudget") {
        let labels = &budget["spec"]["selector"]["matchLabels"];
        let is_there = pods.iter().any(|(_, pod)| pod["metadata"]["labels"] == *labels);
        assert!(is_there, "{budget}");
    }
    let set = of_kind(&objects, "StatefulSet")[0];
    named(&objects, "Service", &set["spec"]["serviceName"]);
}

#[test]
fn the_pods_find_what_they_name() {
    let objects = manifests();
    let secrets = text("kubernetes/settings.yaml");
    for (owner, pod) in pods(&objects) {
        let spec = &pod["spec"];
        let mut volumes: Vec<&Value> = Vec::new();
        for volume in list(&spec["volumes"]) {
            let claim = &volume["persistentVolumeClaim"]["claimName"];
            named(&objects, "PersistentVolumeClaim", claim);
            volumes.push(&volume["name"]);
        }
        let claims = list(&owner["spec"]["volumeClaimTemplates"]).iter();
        volumes.extend(claims.map(|claim| &claim["metadata"]["name"]));
        for container in list(&spec["containers"]) {
            for mount in list(&container["volumeMounts"]) {
                assert!(volumes.contains(&&mount["name"]), "{mount}");
            }
            let ports = list(&container["ports"]);
            for probe in ["livenessProbe", "readinessProbe"] {
                let port = &container[probe]["httpGet"]["port"];
                let is_there = ports.iter().any(|known| known["name"] == *port);
                assert!(port.is_null() || is_there, "{probe}: {port}");
            }
            for variable in list(&container["env"]) {
                let secret = &variable["valueFrom"]["secretKeyRef"];
                if let Some(key) = secret["key"].as_str() {
                    assert_eq!(secret["name"], "kenning");
                    let said = format!("--from-literal={key}=");
                    assert!(secrets.contains(&said), "{key}");
                }
            }
        }
    }
}

#[test]
fn the_settings_of_the_cluster_are_known() {
    let objects = manifests();
    let of_ken = pods(&objects).into_iter().filter(|(owner, _)| owner["kind"] != "StatefulSet");
    let of_ken: Vec<_> = of_ken.collect();
    assert_eq!(of_ken.len(), 2);
    for (_, pod) in of_ken {
        let container = &pod["spec"]["containers"][0];
        let shared = &container["envFrom"][0]["configMapRef"]["name"];
        let shared = map(&named(&objects, "ConfigMap", shared)["data"]).iter();
        let shared = shared.map(|(name, value)| (name.as_str(), word(value)));
        let own = list(&container["env"]).iter();
        let own = own.map(|variable| {
            let value = variable["value"].as_str().unwrap_or("secret");
            (word(&variable["name"]), value)
        });
        let config = check_variables(shared.chain(own));
        let set = of_kind(&objects, "StatefulSet")[0];
        let nodes = set["spec"]["replicas"].as_u64().unwrap();
        let expected = (0..nodes).map(|node| format!("qdrant-{node}.qdrant"));
        assert_eq!(qdrant_hosts(&config), expected.collect::<Vec<_>>());
        assert!(config.number("qdrant.replicas").unwrap() <= nodes);
    }
    let deployment = of_kind(&objects, "Deployment")[0];
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let port = container["ports"][0]["containerPort"].to_string();
    assert_eq!(port, default_port());
    // Longer than the server itself waits, or the probe says that it is dead.
    assert!(container["readinessProbe"]["timeoutSeconds"].as_u64() > Some(2));
    let paths = ["livenessProbe", "readinessProbe"]
        .map(|probe| word(&container[probe]["httpGet"]["path"]).to_string());
    assert_eq!(paths, ["/healthz", "/readyz"]);
}
