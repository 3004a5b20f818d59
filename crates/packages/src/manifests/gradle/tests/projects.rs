//! Settings, parent projects and composite builds together.

use super::*;

#[test]
fn projects_of_settings() {
    check(
        &[
            (
                "settings.gradle",
                r#"
rootProject.name = 'acme'
include ':app', 'libs:core', ":libs:util"
include 'moved', 'renamed'
includeFlat 'beside'
project(':moved').projectDir = new File(settingsDir, 'elsewhere/moved')
project(':libs:util').projectDir = "$rootDir/util" as File
project(":renamed").name = 'new-name'
"#,
            ),
            ("build.gradle", "allprojects { group = 'com.acme'; version = '1.0' }"),
            (
                "app/build.gradle",
                r#"
dependencies {
    implementation project(':libs:core')
    implementation project(path: ':libs:util', configuration: 'shadow')
    api(project(":moved")) { transitive = false }
    testImplementation testFixtures(project(':libs:core')), project(':new-name')
    implementation project(':gone')
    implementation project(':app')
    implementation 'com.acme:core:1.0'
}
"#,
            ),
            ("libs/core/build.gradle", "version = '2.0'\ngroup = 'com.acme.libs'"),
            ("libs/build.gradle", "dependencies { runtimeOnly project('core') }"),
            ("util/build.gradle", ""),
            ("elsewhere/moved/build.gradle.kts", "dependencies { api(project(\":libs:core\")) }"),
            ("renamed/renamed.gradle", "version = computeVersion()"),
        ],
        expect![[r#"
            com.acme:acme 1.0 () gradle_workspace=true
            com.acme:app 1.0 (app) gradle_workspace=true
              -> com.acme.libs:libs:core [libs/core]
              -> com.acme:libs:util [util]
              -> com.acme:moved [elsewhere/moved]
              -> :gone
              -> com.acme:core 1.0
              -> com.acme.libs:libs:core (dev) [libs/core]
              -> com.acme:new-name (dev) [renamed]
            com.acme:moved 1.0 (elsewhere/moved) gradle_workspace=true
              -> com.acme.libs:libs:core [libs/core]
            com.acme:libs 1.0 (libs) gradle_workspace=true
              -> com.acme.libs:libs:core [libs/core]
            com.acme.libs:libs:core 2.0 (libs/core) gradle_workspace=true
            com.acme:new-name (renamed) gradle_workspace=true
            com.acme:libs:util 1.0 (util) gradle_workspace=true
        "#]],
    );
}

#[test]
fn kotlin_settings_accessors_and_catalogs() {
    check(
        &[
            (
                "settings.gradle.kts",
                r#"
rootProject.name = "my-app"
dependencyResolutionManagement {
    versionCatalogs {
        create("tools") { from(files("gradle/tools.versions.toml")) }
        create("inline") {
            version("a", "1.1")
            library("one", "com.inline:one:1.0")
            library("two-x", "com.inline", "two").versionRef("a")
            bundle("both", listOf("one", "two-x"))
        }
        create("remote") { from("com.acme:catalog:1.0") }
    }
}
listOf(":ignored").forEach { include(it) }
include(":app", ":core:data-api")
include(*arrayOf(":spread"))
"#,
            ),
            (
                "gradle/libs.versions.toml",
                r#"
[versions]
kotlin = "2.0.0"
okio-version = { strictly = "[3.0, 4.0[", prefer = "3.9" }
number = 3
[libraries]
okio = { module = "com.squareup.okio:okio", version.ref = "okio-version" }
kotlin-stdlib_jdk8 = { group = "org.jetbrains.kotlin", name = "kotlin-stdlib-jdk8", version.ref = "kotlin" }
junit = "junit:junit:4.13"
bom = { module = "com.acme:bom" }
odd = 1
[bundles]
network = ["okio", "kotlin-stdlib_jdk8"]
[plugins]
android = { id = "com.android", version = "8" }
"#,
            ),
            ("gradle/tools.versions.toml", "[libraries]\ndetekt = \"io.detekt:detekt:1\""),
            (
                "app/build.gradle.kts",
                r#"
dependencies {
    implementation(projects.core.dataApi)
    implementation(projects.myApp.spread)
    api(libs.bundles.network)
    implementation(libs.kotlin.stdlib.jdk8.get())
    implementation(platform(libs.bom))
    implementation("com.acme:by-version:${libs.versions.kotlin.get()}")
    testImplementation(libs.findLibrary("junit").get())
    detektPlugins(tools.detekt)
    implementation(inline.bundles.both)
    implementation(libs.nowhere)
    implementation(remote.something)
}
"#,
            ),
            ("core/data-api/build.gradle.kts", ""),
            ("spread/build.gradle.kts", ""),
        ],
        expect![[r#"
            my-app () gradle_workspace=true
            :app (app) gradle_workspace=true
              -> :core:data-api [core/data-api]
              -> :spread [spread]
              -> com.squareup.okio:okio [3.0, 4.0[!!3.9
              -> org.jetbrains.kotlin:kotlin-stdlib-jdk8 2.0.0
              -> com.acme:bom
              -> com.acme:by-version 2.0.0
              -> com.inline:one 1.0
              -> com.inline:two 1.1
              -> junit:junit 4.13 (dev)
              -> io.detekt:detekt 1 (build)
            :core:data-api (core/data-api) gradle_workspace=true
            :spread (spread) gradle_workspace=true
            problem: gradle/libs.versions.toml: the catalog's entry "number" cannot be read
            problem: gradle/libs.versions.toml: the catalog's entry "odd" cannot be read
            problem: app/build.gradle.kts:12: 2 dependencies that are computed, or of an unknown catalog, were left out; the first is here
        "#]],
    );
}

#[test]
fn what_parents_say_of_projects_below() {
    check(
        &[
            ("settings.gradle", "include 'a', 'a:b', 'c'"),
            (
                "gradle.properties",
                "group=com.acme\nversion = 3.0\njunitVersion: 4.13\norg.gradle.jvmargs=-Xmx1g",
            ),
            (
                "build.gradle",
                r#"
apply from: "$rootDir/gradle/versions.gradle"
ext.loggers = ['org.slf4j:slf4j-api:2.0', libraries.logback]
subprojects {
    apply from: rootProject.file('gradle/common.gradle')
    dependencies { testImplementation "junit:junit:$junitVersion" }
}
project(':c') { dependencies { implementation project(':a'), libraries.okio, loggers } }
configure(subprojects.findAll { it.name != 'a' }) { dependencies { implementation 'x:computed:1' } }
configure(project(':a')) { description = 'The A' }
"#,
            ),
            (
                "gradle/versions.gradle",
                "ext { libraries = [:] }\nlibraries += [okio: \"com.squareup.okio:okio:$okio\", logback: 'ch.qos.logback:logback-classic:1.5']\next.okio = '3.9'",
            ),
            ("gradle/common.gradle", "dependencies { compileOnly 'a:common:1' }"),
            (
                "a/build.gradle",
                "ext.shared = '1'\nversion = rootProject.version + '-a'\ndef local = '2'",
            ),
            (
                "a/b/build.gradle",
                "dependencies { implementation \"a:one:$shared\", \"a:two:$local\", \"a:own:$project.version\" }",
            ),
        ],
        expect![[r#"
            com.acme:root 3.0 () gradle_workspace=true
            com.acme:a 3.0-a (a) "The A" gradle_workspace=true
              -> junit:junit 4.13 (dev)
              -> a:common 1 (peer)
            com.acme:a:b 3.0 (a/b) gradle_workspace=true
              -> a:one 1
              -> a:two
              -> a:own 3.0
              -> junit:junit 4.13 (dev)
              -> a:common 1 (peer)
            com.acme:c 3.0 (c) gradle_workspace=true
              -> com.acme:a [a]
              -> com.squareup.okio:okio 3.9
              -> org.slf4j:slf4j-api 2.0
              -> ch.qos.logback:logback-classic 1.5
              -> junit:junit 4.13 (dev)
              -> a:common 1 (peer)
            problem: build.gradle:9: a dependency that is computed, or of an unknown catalog, was left out
        "#]],
    );
}

#[test]
fn included_builds_stand_for_modules() {
    check(
        &[
            (
                "settings.gradle.kts",
                "rootProject.name = \"main\"\nincludeBuild(\"lib\")\nincludeBuild(\"other\") { dependencySubstitution { substitute(module(\"org.old:name\")).using(project(\":sub\")) } }",
            ),
            (
                "build.gradle.kts",
                "dependencies { implementation(\"com.lib:lib:1.0\"); implementation(\"com.lib:core:1.0\"); implementation(\"org.old:name:1\"); implementation(\"com.other:sub:1\") }",
            ),
            ("lib/settings.gradle", "rootProject.name = 'lib'\ninclude 'nested:core'"),
            ("lib/build.gradle", "allprojects { group = 'com.lib' }"),
            ("lib/nested/core/build.gradle", ""),
            ("other/settings.gradle", "include 'sub'"),
            ("other/sub/build.gradle", "group = 'com.other'"),
            ("apart/build.gradle", "dependencies { implementation 'com.lib:core:1.0' }"),
        ],
        expect![[r#"
            main () gradle_workspace=true
              -> com.lib:lib 1.0 [lib]
              -> com.lib:nested:core 1.0 [lib/nested/core]
              -> com.other:sub 1 [other/sub]
            apart (apart)
              -> com.lib:nested:core 1.0 [lib/nested/core]
            com.lib:lib (lib) gradle_workspace=true
            com.lib:nested:core (lib/nested/core) gradle_workspace=true
            other (other) gradle_workspace=true
            com.other:sub (other/sub) gradle_workspace=true
        "#]],
    );
}

#[test]
fn build_files_that_no_settings_list() {
    check(
        &[
            ("settings.gradle", "someDsl { +\"core\" }"),
            ("gradle/libs.versions.toml", "[libraries]\nokio = \"com.squareup.okio:okio:3\""),
            ("build.gradle", "allprojects { group = 'com.acme' }"),
            (
                "modules/web-app/build.gradle",
                "dependencies { implementation project(':core-api'), libs.okio\n implementation projects.coreApi }",
            ),
            ("modules/core-api/build.gradle", ""),
            ("buildSrc/build.gradle.kts", "dependencies { implementation(libs.okio) }"),
            (
                "buildSrc/src/main/kotlin/convention.gradle.kts",
                "dependencies { implementation(\"no:no:1\") }",
            ),
        ],
        expect![[r#"
            com.acme:root () gradle_workspace=true
            buildSrc (buildSrc)
              -> com.squareup.okio:okio 3
            com.acme:core-api (modules/core-api)
            com.acme:web-app (modules/web-app)
              -> com.acme:core-api [modules/core-api]
              -> com.squareup.okio:okio 3
        "#]],
    );
}

#[test]
fn both_languages_in_one_directory_are_one_project() {
    check(
        &[
            ("a/build.gradle", "dependencies { implementation 'a:groovy:1' }"),
            ("a/build.gradle.kts", "dependencies { implementation(\"a:kotlin:1\") }"),
        ],
        expect![[r#"
            a (a)
              -> a:groovy 1
        "#]],
    );
}

#[test]
fn nested_settings_and_shared_directories() {
    check(
        &[
            ("settings.gradle", "include ':samples:app'"),
            ("samples/app/settings.gradle", "rootProject.name = 'standalone'\ninclude ':inner'"),
            ("samples/app/build.gradle", "dependencies { implementation project(':samples:app') }"),
            ("samples/app/inner/build.gradle", "dependencies { implementation project(':') }"),
        ],
        expect![[r#"
            root () gradle_workspace=true
            :samples:app (samples/app) gradle_workspace=true
            :inner (samples/app/inner) gradle_workspace=true
              -> :samples:app [samples/app]
        "#]],
    );
}

#[test]
fn truncated_and_nonsense_files() {
    check(
        &[
            ("a/build.gradle", "dependencies {\n  implementation 'a:b:1'\n  implementation 'c:d:2"),
            ("b/build.gradle.kts", "\u{0}<html> ((( \"${"),
            ("c/build.gradle", ""),
            ("d/build.gradle", &"[".repeat(100_000)),
            ("e/build.gradle.kts", &"dependencies { ".repeat(60_000)),
            ("f/build.gradle", &"x".repeat(2_000_000)),
            (
                "g/build.gradle",
                "version = '$version'\ndef a = \"$b\"\ndef b = \"$a\"\ndependencies { implementation \"a:b:$a\", a }",
            ),
            ("h/gradle/libs.versions.toml", "[libraries\n"),
            ("l/gradle/libs.versions.toml", &format!("a = {}", "[".repeat(100_000))),
            ("i/gradle/libs.versions.toml", "versions = 1\nlibraries = []\n[bundles]\na = 3"),
            (
                "j/settings.gradle.kts",
                "include(1, null, \":../../..\", \":a//b\", \"\")\nrootProject.name = compute()",
            ),
            (
                "k/build.gradle",
                &("ext.a = [".repeat(10_000) + "dependencies { implementation 'a:b:1' }"),
            ),
        ],
        expect![[r#"
            a (a)
              -> a:b 1
              -> c:d 2
            c (c)
            g $version (g)
              -> a:b
            j (j) gradle_workspace=true
            :1 (j/1) gradle_workspace=true
            k (k)
            problem: a/build.gradle:1: a bracket has no partner
            problem: b/build.gradle.kts:1: a bracket has no partner
            problem: d/build.gradle:1: a bracket has no partner
            problem: e/build.gradle.kts:1: a bracket has no partner
            problem: f/build.gradle: larger than 1 MiB
            problem: h/gradle/libs.versions.toml:1: unclosed table, expected `]`
            problem: l/gradle/libs.versions.toml:1: cannot recurse further; max recursion depth met
            problem: k/build.gradle:1: a bracket has no partner
            problem: g/build.gradle:4: a dependency that is computed, or of an unknown catalog, was left out
        "#]],
    );
}

#[test]
fn names_that_stand_for_many_names_end() {
    let mut script = String::new();
    for level in 0..8 {
        let next = format!("$a{}", level + 1).repeat(100);
        script += &format!("def a{level} = \"{next}\"\n");
    }
    script += "def a8 = 'x'\ndependencies { implementation \"a:b:$a0\" }";
    check(
        &[("build.gradle", &script)],
        expect![[r#"
        root ()
          -> a:b
    "#]],
    );
}
