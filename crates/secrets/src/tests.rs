//! Tables of files that look like secrets and of files that do not. No value here opens anything.

use super::*;

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn check(name: &str, text: &str, expected: Option<SecretKind>) {
    let rules = SecretRules::default();
    let by_name = rules.by_name(&path(name));
    let found = by_name.or_else(|| rules.by_content(&path(name), text));
    assert_eq!(found, expected, "{name}: {text}");
}

/// Put together here, so that no scanner of this repository takes them for real ones.
fn key(kind: &str) -> String {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    format!("-----BEGIN {kind}-----\n{line}\n{line}\n-----END {kind}-----\n")
}

#[test]
fn names_decide() {
    for name in ["id_rsa", "a/id_ed25519", "id_deploy", "server.ppk"] {
        check(name, "", Some(SecretKind::PrivateKey));
    }
    for name in ["a.p12", "b.PFX", "release.jks", "debug.keystore", "me.kdbx"] {
        check(name, "", Some(SecretKind::KeyStore));
    }
    for name in [".env", ".env.local", "deploy/.env.production", "prod.env"] {
        check(name, "PORT=1\n", Some(SecretKind::Environment));
    }
    for name in [".netrc", "_netrc", ".pgpass", ".htpasswd", ".git-credentials", ".pypirc"] {
        check(name, "", Some(SecretKind::Credentials));
    }
    for name in [".aws/credentials", "home/.cargo/credentials.toml"] {
        check(name, "", Some(SecretKind::Credentials));
    }
    check("terraform.tfstate", "{}", Some(SecretKind::TerraformState));
    check("terraform.tfstate.backup", "{}", Some(SecretKind::TerraformState));
}

#[test]
fn source_code_stays() {
    let text = format!("const KEY: &str = \"{}\";", key("PRIVATE KEY"));
    for name in [
        "src/credentials.rs",
        "credentials_provider.py",
        "id_map.go",
        "key.ts",
        "secrets.kt",
        "secret.java",
        "env.rs",
        ".env.d.ts",
        "lib/key.erl",
        "id_token.rb",
    ] {
        check(name, &text, None);
    }
    check("bin/deploy", &format!("#!/bin/sh\n{}", key("PRIVATE KEY")), None);
    let export = "export AWS_SECRET_ACCESS_KEY=9vXq3LrT8mZw2KcY7bNd4HsJ6fGp1QaE\n";
    for script in ["deploy.sh", "main.tf"] {
        check(script, export, Some(SecretKind::Setting));
    }
    // A directory of such a name is no file of such a name.
    check("id_service/README.md", "text", None);
    check("credentials/README.md", "text", None);
}

#[test]
fn names_that_leave_it_to_the_content() {
    check("server.pem", &key("RSA PRIVATE KEY"), Some(SecretKind::PrivateKey));
    check("server.pem", "-----BEGIN PRIVATE KEY-----\nshort", Some(SecretKind::PrivateKey));
    check("master.key", "0123456789abcdef0123456789abcdef", Some(SecretKind::PrivateKey));
    let certificate = key("CERTIFICATE");
    check("ca.pem", &certificate, None);
    check("chain.pem", &(certificate + &key("PRIVATE KEY")), Some(SecretKind::PrivateKey));
    check("release.gpg.key", &key("PGP PUBLIC KEY BLOCK"), None);
    check("id_rsa.pub", "ssh-rsa AAAAB3NzaC1yc2E me", None);
    check("signing.asc", &key("PGP PRIVATE KEY BLOCK"), Some(SecretKind::PrivateKey));
    check("README.asc", "= Title", None);
    for name in ["credentials.yml", "config/secrets.json", "credentials", "credentials-prod.ini"] {
        check(name, "user: joe\npassword: hunter22\n", Some(SecretKind::Credentials));
        check(name, "nothing known", Some(SecretKind::Credentials));
        check(name, "password: ${PASSWORD}\n", None);
    }
    check("templates/secrets.yaml", "password: {{ .Values.password | b64enc }}\n", None);
    check("api/credentials.yml", "get:\n  operationId: list\n  summary: Lists them\n", None);
    check("docs/credentials.md", "Put your password into the file.", None);
    check("locales/en/credentials.json", "{\"password\": \"Passwort\"}", None);
    check(".npmrc", "save-exact=true\nregistry=https://registry.example/\n", None);
    let token = "//registry.example/:_authToken=0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9\n";
    check(".npmrc", token, Some(SecretKind::Credentials));
    check(".npmrc", "//registry.example/:_authToken=${NPM_TOKEN}\n", None);
    check("prod.tfvars", "region = \"eu-west-1\"\n", None);
    check("prod.tfvars", "db_password = \"hunter22\"\n", Some(SecretKind::Credentials));
    check(".env.example", "DATABASE_PASSWORD=postgres\nAPI_KEY=your-key-here\n", None);
    let real = "API_KEY=9vXq3LrT8mZw2KcY7bNd4HsJ\n";
    check(".env.example", real, Some(SecretKind::Setting));
    let kube = "users:\n- user:\n    client-key-data: bm90IGEga2V5IGF0IGFsbA==\n";
    check("kubeconfig", kube, Some(SecretKind::Credentials));
}

#[test]
fn private_keys_outside_of_programs() {
    for kind in ["PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        check("deploy.txt", &key(kind), Some(SecretKind::PrivateKey));
    }
    let json = key("PRIVATE KEY").replace('\n', "\\n");
    let json = format!("{{\"type\": \"service_account\", \"private_key\": \"{json}\"}}");
    check("gcp.json", &json, Some(SecretKind::PrivateKey));
    let yaml = key("RSA PRIVATE KEY").replace('\n', "\n    ");
    check("values.yaml", &format!("tls:\n  key: |\n    {yaml}"), Some(SecretKind::PrivateKey));
    let encoded = "tls.key: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVB\n";
    check("tls.yaml", encoded, Some(SecretKind::PrivateKey));
    check("help.txt", "It begins with -----BEGIN PRIVATE KEY-----, and ends alike.", None);
    let comment = "## -----BEGIN RSA PRIVATE KEY-----\n## name should line up with tlsSecretName\n";
    check("values.yaml", comment, None);
    // Prose quotes the beginning of a key.
    check("README.md", &key("PRIVATE KEY"), None);
    let whole = key("PRIVATE KEY").replace('\n', "\n+").repeat(8).replace("-----END", "+");
    check("README.md", &whole, Some(SecretKind::PrivateKey));
}

#[test]
fn tokens_of_services() {
    let random = "9vXq3LrT8mZw2KcY7bNd4HsJ6gFp1QeR5tUa0WiS8xCz";
    for (prefix, length) in [
        ("ghp_", 36),
        ("gho_", 36),
        ("glpat-", 20),
        ("xoxb-", 40),
        ("sk_live_", 24),
        ("AIza", 35),
        ("npm_", 36),
        ("sk-ant-api03-", 40),
        ("sk-proj-", 44),
    ] {
        let token = format!("{prefix}{}", &random[..length]);
        for (name, text) in [
            ("config.yml", format!("a: {token}\n")),
            ("notes", format!("use {token}")),
            ("docs/a.md", format!("`{token}`")),
        ] {
            check(name, &text, Some(SecretKind::Token));
        }
        check("config.yml", &format!("a: {prefix}{}\n", "x".repeat(length)), None);
        check("a.py", &format!("a = '{token}'\n"), None);
    }
    check(
        "a.ini",
        "key = AKIAQ3LT8MZW2KCY7BND\n".replace('8', "5").as_str(),
        Some(SecretKind::Token),
    );
    check("a.ini", "key = AKIAIOSFODNN7EXAMPLE\n", None);
    let body = "9vXq3LrT8mZw2KcY7bNd4HsJ";
    let jwt = format!("eyJhbGciOiJIUzI1NiIsInR5cCI6.eyJ{body}.{body}");
    check("config.json", &format!("{{\"a\": \"{jwt}\"}}"), Some(SecretKind::Token));
    check("docs/jwt.md", &jwt, None);
}

#[test]
fn settings_with_random_values() {
    let value = "9vXq3LrT8mZw2KcY7bNd4HsJ";
    for (name, text) in [
        ("config.yml", format!("aws_secret_access_key: {value}\n")),
        ("config.yml", format!("db:\n  password: '{value}' # of the server\n")),
        ("app.toml", format!("[a]\napi_key = \"{value}\"\n")),
        ("app.json", format!("{{\"a\": {{\"clientSecret\": \"{value}\"}}}}")),
        ("app.ini", format!("token = {value}\n")),
        ("application.properties", format!("spring.datasource.password={value}\n")),
        ("Info.plist", format!("<key>ApiKey</key>\n  <string>{value}</string>")),
        ("web.xml", format!("<password>{value}</password>")),
        ("app.config", format!("<add key=\"ApiSecret\" value=\"{value}\"/>")),
        ("deployment.yaml", format!("env:\n- name: DB_PASSWORD\n  value: {value}\n")),
        ("compose.yml", format!("url: postgres://app:{value}@db:5432/app\n")),
        ("notes.txt", format!("API_TOKEN={value}\n")),
        ("config.yml", "secret_key_base: 4f0c7d1e9b2a83564f1d7c0e9b2a8d51\n".to_string()),
        ("a.yml", "secret_access_key: wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n".to_string()),
    ] {
        check(name, &text, Some(SecretKind::Setting));
    }
}

#[test]
fn settings_that_hold_no_secret() {
    for value in [
        "changeme",
        "${DB_PASSWORD}",
        "{{ .Values.password }}",
        "<your password here>",
        "xxxxxxxxxxxxxxxxxxxxxxxx",
        "your-api-key-goes-here-1234",
        "********************",
        "/run/secrets/db_password_file_2",
        "vault:secret/data/app#password",
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-Ab12Cd",
        "550e8400-e29b-41d4-a716-446655440000",
        "ENC[AES256_GCM,data:9vXq3LrT8mZw2KcY7bNd4HsJ]",
        "$2y$10$9L4Tc0DJbFFMB6RdSCunrOpTHdwhid4ktBJmLD00b",
        "com.example.auth.TokenProvider2Factory",
        "my-application-database-password-2",
        "Your new password must have 8 characters",
        "true",
    ] {
        check("config.yml", &format!("password: \"{value}\"\n"), None);
        check("config.yml", &format!("api_token: {value}\n"), None);
    }
    let value = "9vXq3LrT8mZw2KcY7bNd4HsJ";
    for key in ["secret_name", "token_url", "passwordPolicy", "tokenizer", "integrity", "sha256"] {
        check("config.yml", &format!("{key}: {value}\n"), None);
    }
    let secret = format!("{{\"password\": \"{value}\"}}");
    for name in ["i18n/de.json", "app/__snapshots__/a.json", "a.lock.json", "checksums.txt"] {
        check(name, &secret, None);
    }
    let example = format!("{{\"openapi\": \"3.1.0\", \"example\": {secret}}}");
    check("openapi.json", &example, None);
    check("a.rs", &format!("let password = \"{value}\";"), None);
    check("docs/a.md", &format!("password: {value}\n"), None);
}

#[test]
fn admitted_files_are_no_secrets() {
    let admits = |patterns: &[&str], name: &str| {
        let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
        let rules = SecretRules::new(&patterns);
        assert_eq!(rules.problems(), [""; 0]);
        let found = rules.by_name(&path(name));
        found.or(rules.by_content(&path(name), &key("PRIVATE KEY"))).is_none()
    };
    assert!(!admits(&[], "tests/keys/a.pem"));
    for pattern in
        ["**", "*.pem", "a.pem", "tests/keys", "/tests/keys/", "tests/**", "keys", "tests/*/a.*"]
    {
        assert!(admits(&[pattern], "tests/keys/a.pem"), "{pattern}");
    }
    for pattern in ["tests/*.pem", "*.key", "other/**", "est"] {
        assert!(!admits(&[pattern], "tests/keys/a.pem"), "{pattern}");
    }
    assert!(admits(&["**"], "id_rsa"));
    assert!(admits(&["x", ".env.local"], "a/.env.local"));
    let broken = SecretRules::new(&["a{".to_string()]);
    assert_eq!(broken.problems().len(), 1, "{:?}", broken.problems());
    assert_ne!(broken.fingerprint(), SecretRules::default().fingerprint());
}

#[test]
fn reasons_are_plain_words() {
    assert_eq!(SecretKind::PrivateKey.to_string(), "looks like a secret: private key");
    assert!(is_secret_reason(&SecretKind::Setting.to_string()));
    assert!(!is_secret_reason("binary"));
}

/// Reading a text must not take longer than its length allows; the square of these would never end.
#[test]
fn texts_that_were_made_to_be_slow() {
    for (name, part) in [
        ("a.json", "\"password\":\"aaa\","),
        ("a.txt", "-----BEGIN PRIVATE KEY-----"),
        ("a.txt", "sk-ant-"),
        ("a.json", "://"),
        ("a.yml", "{{ password"),
        ("a.xml", "<password>"),
    ] {
        check(name, &part.repeat(50_000), None);
    }
}
