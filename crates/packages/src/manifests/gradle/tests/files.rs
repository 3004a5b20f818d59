//! Single build files.

use super::*;

#[test]
fn notations_in_groovy() {
    check(
        &[(
            "build.gradle",
            r#"
plugins { id 'java' version '1.0' apply false }
apply plugin: 'java'
group 'com.acme'
version = '1.2.3'
description "Does it"
def okioVersion = '3.9.0'
ext.junitVersion = '4.13.2'
ext { guavaVersion = '33.0'; versions = [kotlin: '2.0', nested: [deep: '1']] }
dependencies {
    implementation 'com.squareup.okio:okio:' + okioVersion
    implementation "com.google.guava:guava:$guavaVersion" // a comment
    implementation "org.jetbrains.kotlin:kotlin-stdlib:${versions.kotlin}", "a:deep:$versions.nested.deep"
    implementation group: 'org.slf4j', name: 'slf4j-api', version: '2.0.0'
    implementation([group: 'org.map', name: 'map'])
    implementation(['a:listed:1', 'b:listed:2'])
    api('com.acme:classified:1.0:sources@jar') { transitive = false }
    implementation "com.acme:unknown:${nobodyKnows}"
    implementation "com.acme:computed:${compute()}"
    implementation('com.acme:rich') {
        version {
            strictly '[1.0, 2.0['
            prefer '1.5'
        }
        exclude group: 'x', module: 'y'
    }
    implementation fileTree(dir: 'libs', include: '*.jar')
    implementation files('a.jar'), gradleApi()
    implementation platform('com.acme:bom:1.0')
    compileOnly 'com.acme:provided:1'
    runtimeOnly 'com.acme:driver:1'
    annotationProcessor 'com.acme:processor:1'
    testImplementation "junit:junit:$rootProject.ext.junitVersion"
    testRuntimeOnly 'com.acme:launcher:1'
    androidTestImplementation 'com.acme:espresso:1'
    testFixturesImplementation 'com.acme:fixture:1'
    debugImplementation 'com.acme:leakcanary:1'
    jmh 'com.acme:jmh:1'
    detektPlugins 'com.acme:detekt:1'
    constraints { implementation 'com.acme:constrained:1' }
    implementation compute('x')
    if (project.hasProperty('extra')) {
        implementation 'com.acme:conditional:1'
    } else implementation 'com.acme:otherwise:1'
}
buildscript {
    ext.agpVersion = '8.0'
    dependencies { classpath "com.android.tools.build:gradle:$agpVersion" }
}
publishing { publications { maven(MavenPublication) { version = '9'; pom { dependencies { dependency 'no:no:1' } } } } }
def pattern = ~/['"](.*)/
"#,
        )],
        expect![[r#"
            com.acme:root 1.2.3 () "Does it"
              -> com.squareup.okio:okio 3.9.0
              -> com.google.guava:guava 33.0
              -> org.jetbrains.kotlin:kotlin-stdlib 2.0
              -> a:deep 1
              -> org.slf4j:slf4j-api 2.0.0
              -> org.map:map
              -> a:listed 1
              -> b:listed 2
              -> com.acme:classified 1.0
              -> com.acme:unknown
              -> com.acme:computed
              -> com.acme:rich [1.0, 2.0[!!1.5
              -> com.acme:bom 1.0
              -> com.acme:driver 1
              -> com.acme:leakcanary 1
              -> com.acme:otherwise 1
              -> com.acme:conditional 1
              -> junit:junit 4.13.2 (dev)
              -> com.acme:launcher 1 (dev)
              -> com.acme:espresso 1 (dev)
              -> com.acme:fixture 1 (dev)
              -> com.acme:jmh 1 (dev)
              -> com.acme:provided 1 (peer)
              -> com.acme:processor 1 (build)
              -> com.acme:detekt 1 (build)
              -> com.android.tools.build:gradle 8.0 (build)
            problem: build.gradle:41: a dependency that is computed, or of an unknown catalog, was left out
        "#]],
    );
}

#[test]
fn notations_in_kotlin() {
    check(
        &[(
            "app/build.gradle.kts",
            r#"
@file:Suppress("UnstableApiUsage")
import org.example.Thing
plugins { id("x") version "1.0"; kotlin("jvm"); `java-library` }
group = "com.acme"
version = "1.0"
val okio: String = "3.9.0"
val ktor by extra("2.3")
extra["junit"] = "5.0"
val raw = """a "quoted" ${'$'}text"""
dependencies {
    implementation("com.squareup.okio:okio:$okio")
    implementation("io.ktor:ktor-core:${ktor}")
    api(kotlin("stdlib"))
    implementation(kotlin("reflect", "2.0"))
    implementation("org.slf4j", "slf4j-api", "2.0.0")
    implementation(group = "org.named", name = "named", version = "1")
    implementation(platform("com.acme:bom:1.0")) { because("of { braces") }
    "customImplementation"("com.acme:custom:1")
    add("compileOnly", "com.acme:added:1")
    compileOnlyApi("com.acme:annotations:1")
    ksp("com.acme:processor:1")
    kaptTest("com.acme:test-processor:1")
    testImplementation("org.junit:junit:${property("junit")}")
    implementation(fileTree("libs") { include("*.jar") })
    implementation(npm("left-pad", "1.0"))
    implementation(project)
    implementation(Deps.okhttp)
    listOf("a", "b").forEach { implementation(it) }
    when {
        useNetty -> implementation("com.acme:netty:1")
        else -> implementation("com.acme:jetty:1")
    }
}
tasks.register<Copy>("x") { dependencies { include(dependency("no:no")) } }
"#,
        )],
        expect![[r#"
            com.acme:app 1.0 (app)
              -> com.squareup.okio:okio 3.9.0
              -> io.ktor:ktor-core 2.3
              -> org.jetbrains.kotlin:kotlin-stdlib
              -> org.jetbrains.kotlin:kotlin-reflect 2.0
              -> org.slf4j:slf4j-api 2.0.0
              -> org.named:named 1
              -> com.acme:bom 1.0
              -> com.acme:custom 1
              -> com.acme:netty 1
              -> com.acme:jetty 1
              -> com.acme:test-processor 1 (dev)
              -> org.junit:junit 5.0 (dev)
              -> com.acme:added 1 (peer)
              -> com.acme:annotations 1 (peer)
              -> com.acme:processor 1 (build)
            problem: app/build.gradle.kts:28: 2 dependencies that are computed, or of an unknown catalog, were left out; the first is here
        "#]],
    );
}

#[test]
fn multiplatform_source_sets_and_test_suites() {
    check(
        &[(
            "build.gradle.kts",
            r#"
kotlin {
    sourceSets {
        commonMain.dependencies { api("a:common:1") }
        val jvmMain by getting { dependencies { implementation("a:jvm:1") } }
        val jvmTest by getting { dependencies { implementation("a:jvm-test:1") } }
        commonTest { dependencies { implementation(kotlin("test")) } }
        named("nativeTest") { dependencies { implementation("a:native-test:1") } }
        val shared = create("shared") { dependencies { compileOnly("a:shared:1") } }
    }
}
testing {
    suites {
        register<JvmTestSuite>("integrationTest") { dependencies { implementation("a:suite:1"); implementation(project()) } }
    }
}
"#,
        )],
        expect![[r#"
            root ()
              -> a:common 1
              -> a:jvm 1
              -> a:jvm-test 1 (dev)
              -> org.jetbrains.kotlin:kotlin-test (dev)
              -> a:native-test 1 (dev)
              -> a:suite 1 (dev)
              -> a:shared 1 (peer)
        "#]],
    );
}
