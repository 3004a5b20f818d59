//! Trees of MSBuild files in, packages out. Expectations about properties, items and imports were
//! compared with what MSBuild itself says of such trees.

use expect_test::{Expect, expect};

use super::super::testing::render;
use super::*;

fn check(files: &[(&str, &str)], expected: Expect) {
    expected.assert_eq(&render(&Dotnet, files));
}

/// Like [`check`], for one project `src/App/App.csproj` with this content.
fn check_app(content: &str, expected: Expect) {
    check(&[("src/App/App.csproj", &project(content))], expected);
}

fn project(content: &str) -> String {
    format!("<Project Sdk='Microsoft.NET.Sdk'>{content}</Project>")
}

fn properties(content: &str) -> String {
    project(&format!("<PropertyGroup>{content}</PropertyGroup>"))
}

fn items(content: &str) -> String {
    project(&format!("<ItemGroup>{content}</ItemGroup>"))
}

const EMPTY: &str = "<Project Sdk='Microsoft.NET.Sdk'/>";

#[test]
fn names_and_versions() {
    check(
        &[
            ("stem/Acme.App.csproj", EMPTY),
            (
                "assembly/App.fsproj",
                &properties("<AssemblyName>Acme.Assembly</AssemblyName><Version> 1.0 </Version>"),
            ),
            (
                "id/App.vbproj",
                &properties(
                    "<AssemblyName>A</AssemblyName><PackageId>Acme.$(MSBuildProjectName)</PackageId>\
                    <VersionPrefix>2.0</VersionPrefix><VersionSuffix>beta</VersionSuffix>\
                    <Description>Two\n  lines</Description>",
                ),
            ),
            (
                "unknown/App.csproj",
                &properties("<PackageId>$(Nowhere).App</PackageId><Version>$(Build)</Version>"),
            ),
            (
                "conditions/App.csproj",
                &properties(
                    "<VersionPrefix Condition=\"'$(VersionPrefix)' == ''\">3.0</VersionPrefix>\
                    <VersionSuffix Condition=\"'$(CI)' != 'true'\">dev</VersionSuffix>",
                ),
            ),
        ],
        expect![[r#"
            Acme.Assembly 1.0 (assembly)
            App 3.0 (conditions)
            Acme.App 2.0-beta (id) "Two lines"
            Acme.App (stem)
            App $(Build) (unknown)
        "#]],
    );
}

#[test]
fn package_references() {
    check_app(
        "<PropertyGroup><Json>13.0.1</Json></PropertyGroup><ItemGroup>\
        <PackageReference Include='Attribute' Version='1.*' />\
        <PackageReference Include='Element'><Version>[2.0,3.0)</Version></PackageReference>\
        <packagereference Include='Case' version='3' PRIVATEASSETS='All' />\
        <PackageReference Include='Some; Assets' Version='4' PrivateAssets='compile;build' />\
        <PackageReference Include='Property' Version='$(JSON)' />\
        <PackageReference Include='Late' Version='$(Later)' />\
        <PackageReference Include='Unknown' Version='$(Nowhere)' />\
        <PackageReference Include='None' />\
        <PackageReference Include='Framework' Version='5' Condition=\"'$(TargetFramework)' == 'a'\" />\
        <PackageReference Include='framework' Version='6' Condition=\"'$(TargetFramework)' == 'b'\" />\
        <PackageReference Include='Changed' Version='7' />\
        <PackageReference Update='changed' Version='8' PrivateAssets='all' />\
        <PackageReference Include='Removed' Version='9' /><PackageReference Remove='Removed' />\
        <PackageReference Remove='Again' /><PackageReference Include='Again' Version='10' />\
        <PackageReference Update='FSharp.Core' Version='11' />\
        <PackageReference Version='12' /><Reference Include='System.Xml' />\
        </ItemGroup><PropertyGroup><Later>13</Later></PropertyGroup>\
        <Target Name='T'><ItemGroup><PackageReference Include='No' /></ItemGroup></Target>",
        expect![[r#"
            App (src/App)
              -> Attribute 1.*
              -> Element [2.0,3.0)
              -> Some 4
              -> Assets 4
              -> Property 13.0.1
              -> Late 13
              -> Unknown $(Nowhere)
              -> None
              -> Framework 5
              -> Again 10
              -> FSharp.Core 11
              -> Case 3 (dev)
              -> Changed 8 (dev)
        "#]],
    );
}

#[test]
fn project_references() {
    check(
        &[
            (
                "src/App/App.csproj",
                &items(
                    "<ProjectReference Include='..\\Lib\\Lib.csproj;../lib/other/other.csproj' />\
                    <ProjectReference Include='$(MSBuildThisFileDirectory)..\\Gen\\Gen.csproj' \
                        OutputItemType='Analyzer' ReferenceOutputAssembly='false' />\
                    <ProjectReference Include='..\\Tool\\Tool.fsproj'>\
                        <ReferenceOutputAssembly>False</ReferenceOutputAssembly></ProjectReference>\
                    <ProjectReference Include='..\\Private\\Private.vbproj' PrivateAssets='all' />\
                    <ProjectReference Include='$(RepoRoot)\\src\\Root\\Root.csproj' />\
                    <ProjectReference Include='..\\Gone\\Gone.csproj' />\
                    <ProjectReference Include='..\\..\\..\\Out\\Out.csproj' />\
                    <ProjectReference Include='..\\Gone\\Perhaps.csproj' Condition='$(Perhaps)' />\
                    <ProjectReference Include='..\\Native\\Native.vcxproj' />\
                    <ProjectReference Include='$(Some)$(Where)\\Else.csproj' />\
                    <ProjectReference Include='@(Others)' />\
                    <ProjectReference Include='App.csproj' />",
                ),
            ),
            (
                "src/Lib/Lib.csproj",
                &properties("<PackageId>Acme.Lib</PackageId>"),
            ),
            ("src/Lib/Other/Other.csproj", EMPTY),
            ("src/Gen/Gen.csproj", EMPTY),
            ("src/Tool/Tool.fsproj", EMPTY),
            ("src/Private/Private.vbproj", EMPTY),
            ("src/Root/Root.csproj", EMPTY),
        ],
        expect![[r#"
            App (src/App)
              -> Acme.Lib [src/Lib]
              -> Other [src/Lib/Other]
              -> Root [src/Root]
              -> Gone
              -> Out
              -> Perhaps
              -> Native
              -> Else
              -> Private (dev) [src/Private]
              -> Gen (build) [src/Gen]
              -> Tool (build) [src/Tool]
            Gen (src/Gen)
            Acme.Lib (src/Lib)
            Other (src/Lib/Other)
            Private (src/Private)
            Root (src/Root)
            Tool (src/Tool)
            problem: src/App/App.csproj: the referenced project src/Gone/Gone.csproj is not in the repository
            problem: src/App/App.csproj: the referenced project ..\..\..\Out\Out.csproj is not in the repository
        "#]],
    );
}

#[test]
fn wildcards_find_projects() {
    check(
        &[
            (
                "all/All.csproj",
                &items("<ProjectReference Include='..\\src\\**\\*.csproj' />"),
            ),
            (
                "some/Some.csproj",
                &items("<ProjectReference Include='../src/*/*.csproj;/src/nothing/*.csproj' />"),
            ),
            ("src/a/A.csproj", EMPTY),
            ("src/a/deep/Deep.csproj", EMPTY),
            ("src/b/B.csproj", EMPTY),
            ("src/b/B.fsproj", EMPTY),
        ],
        expect![[r#"
            All (all)
              -> A [src/a]
              -> Deep [src/a/deep]
              -> B [src/b]
            Some (some)
              -> A [src/a]
              -> B [src/b]
            A (src/a)
            Deep (src/a/deep)
            B (src/b)
        "#]],
    );
}

#[test]
fn a_package_of_the_repository_is_external_unless_referenced_as_a_project() {
    check(
        &[
            (
                "App/App.csproj",
                &items("<PackageReference Include='Acme.Lib' Version='1.0' />"),
            ),
            (
                "Both/Both.csproj",
                &items(
                    "<PackageReference Include='acme.lib' Version='1.0' Condition='$(Released)' />\
                    <ProjectReference Include='..\\Lib\\Lib.csproj' Condition='!$(Released)' />",
                ),
            ),
            (
                "Lib/Lib.csproj",
                &properties("<PackageId>Acme.Lib</PackageId><Version>1.0</Version>"),
            ),
        ],
        expect![[r#"
            App (App)
              -> Acme.Lib 1.0
            Both (Both)
              -> Acme.Lib [Lib]
            Acme.Lib 1.0 (Lib)
        "#]],
    );
}

#[test]
fn directory_files_apply_below_them() {
    check(
        &[
            (
                "Directory.Build.props",
                &project(
                    "<PropertyGroup><Version>1.0</Version><Root>$(MSBuildThisFileDirectory)</Root>\
                    <XVersion>1</XVersion></PropertyGroup>\
                    <ItemGroup><PackageReference Include='Everywhere' Version='1' /></ItemGroup>\
                    <Import Project='eng/Versions.props' />",
                ),
            ),
            (
                "eng/Versions.props",
                &properties("<YVersion>$(XVersion).$(XVersion)</YVersion><XVersion>2</XVersion>"),
            ),
            (
                "Directory.Build.targets",
                &items(
                    "<PackageReference Update='X' Version='$(XVersion)' />\
                    <PackageReference Update='Unused' Version='9' />",
                ),
            ),
            (
                "src/App/App.csproj",
                &items(
                    "<PackageReference Include='X' /><PackageReference Include='Y' \
                    Version='$(YVersion)' /><ProjectReference Include='$(Root)src/Lib/Lib.csproj' />",
                ),
            ),
            ("src/Lib/Lib.csproj", &properties("<Version>2.0</Version>")),
            // The nearest hides the one above.
            ("test/Directory.Build.props", EMPTY),
            ("test/Test.csproj", EMPTY),
            // Unless it imports it.
            (
                "more/Directory.Build.props",
                &project(
                    "<Import Project=\"$([MSBuild]::GetPathOfFileAbove('Directory.Build.props', \
                    '$(MSBuildThisFileDirectory)../'))\" />\
                    <PropertyGroup><Version>$(Version)-more</Version></PropertyGroup>",
                ),
            ),
            ("more/deep/More.csproj", EMPTY),
        ],
        expect![[r#"
            More 1.0-more (more/deep)
              -> Everywhere 1
            App 1.0 (src/App)
              -> Lib [src/Lib]
              -> Everywhere 1
              -> X 2
              -> Y 1.1
            Lib 2.0 (src/Lib)
              -> Everywhere 1
            Test (test)
        "#]],
    );
}

#[test]
fn ways_to_import_what_is_above() {
    let above = properties("<Version>1.0</Version>");
    for path in [
        "../Directory.Build.props",
        "$(MSBuildThisFileDirectory)..\\Directory.Build.props",
        "$([MSBuild]::GetPathOfFileAbove(Directory.Build.props, $(MSBuildThisFileDirectory)..))",
        "$([MSBuild]::GetDirectoryNameOfFileAbove($(MSBuildThisFileDirectory).., \
            Directory.Build.props))\\Directory.Build.props",
        "$([MSBuild]::GetDirectoryNameOfFileAbove('$(MSBuildProjectDirectory)', 'All.sln'))\
            /Directory.Build.props",
        "$([System.IO.Path]::Combine('..', '$(_DirectoryBuildPropsFile)'))",
        "$([System.IO.Path]::GetFullPath('$(MSBuildThisFileDirectory)../'))Directory.Build.props",
        "$([MSBuild]::NormalizePath('$(MSBuildThisFileDirectory)', '..', 'Directory.Build.props'))",
        "$([MSBuild]::NormalizeDirectory('$(MSBuildThisFileDirectory)', '..'))Directory.Build.props",
        "$(SolutionDir)Directory.Build.props",
    ] {
        let import = project(&format!("<Import Project=\"{path}\" />"));
        let files = [
            ("Directory.Build.props", above.as_str()),
            ("src/Directory.Build.props", &import),
            ("src/App.csproj", EMPTY),
        ];
        assert_eq!(render(&Dotnet, &files), "App 1.0 (src)\n", "{path}");
    }
}

#[test]
fn central_package_management() {
    let central = project(
        "<PropertyGroup><ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>\
        <Aspire>13</Aspire></PropertyGroup><ItemGroup>\
        <PackageVersion Include='Serilog' Version='4.0' />\
        <PackageVersion Include='Aspire.Hosting' Version='$(Aspire)' />\
        <PackageVersion Include='Runtime' Version='6' Condition=\"'$(TargetFramework)' == 'net6.0'\" />\
        <PackageVersion Include='Runtime' Version='8' Condition=\"'$(TargetFramework)' == 'net8.0'\" />\
        <GlobalPackageReference Include='Analyzers' Version='3.0' /></ItemGroup>",
    );
    let app = items(
        "<PackageReference Include='serilog' /><PackageReference Include='Aspire.Hosting' />\
        <PackageReference Include='Runtime' /><PackageReference Include='Unmanaged' />",
    );
    let nested = items(
        "<PackageVersion Update='Serilog' Version='5.0' />\
        <PackageVersion Include='Unmanaged' Version='1.0' />",
    )
    .replace(
        "<ItemGroup>",
        "<Import Project=\"$([MSBuild]::GetPathOfFileAbove(Directory.Packages.props, \
        $(MSBuildThisFileDirectory)..))\" /><ItemGroup>",
    );
    let off = properties("<ManagePackageVersionsCentrally>false</ManagePackageVersionsCentrally>");
    check(
        &[
            ("Directory.Packages.props", &central),
            ("src/App.csproj", &app),
            (
                "override/App.csproj",
                &items("<PackageReference Include='Serilog' VersionOverride='4.1' />"),
            ),
            ("nested/Directory.Packages.props", &nested),
            ("nested/App.csproj", &app),
            ("alone/Directory.Packages.props", EMPTY),
            ("alone/App.csproj", &app),
            ("off/Directory.Build.targets", &off),
            (
                "off/App.csproj",
                &items("<PackageReference Include='Serilog' />"),
            ),
            (
                "elsewhere/Directory.Build.props",
                &properties(
                    "<DirectoryPackagesPropsPath>$(MSBuildThisFileDirectory)../eng/Packages.props\
                    </DirectoryPackagesPropsPath>",
                ),
            ),
            (
                "eng/Packages.props",
                &items("<PackageVersion Include='Serilog' Version='9' />"),
            ),
            (
                "elsewhere/App.csproj",
                &items("<PackageReference Include='Serilog' />"),
            ),
        ],
        expect![[r#"
            App (alone)
              -> serilog
              -> Aspire.Hosting
              -> Runtime
              -> Unmanaged
            App (elsewhere)
              -> Serilog 9
            App (nested)
              -> serilog 5.0
              -> Aspire.Hosting 13
              -> Runtime 6
              -> Unmanaged 1.0
              -> Analyzers 3.0 (dev)
            App (off)
              -> Serilog
            App (override)
              -> Serilog 4.1
              -> Analyzers 3.0 (dev)
            App (src)
              -> serilog 4.0
              -> Aspire.Hosting 13
              -> Runtime 6
              -> Unmanaged
              -> Analyzers 3.0 (dev)
        "#]],
    );
}

#[test]
fn a_switch_that_others_turn_on_adds_no_project() {
    check(
        &[
            (
                "Directory.Build.targets",
                &project(
                    "<ItemGroup Condition=\"'$(UseGenerator)' == 'true'\">\
                    <ProjectReference Include='/Gen/Gen.csproj' OutputItemType='Analyzer' \
                    Condition=\"'$(MSBuildProjectName)' != 'Lib'\" /></ItemGroup>",
                ),
            ),
            ("Gen/Gen.csproj", EMPTY),
            (
                "App/App.csproj",
                &properties("<UseGenerator>true</UseGenerator>"),
            ),
            (
                "Lib/Lib.csproj",
                &properties("<UseGenerator>true</UseGenerator>"),
            ),
            ("Other/Other.csproj", EMPTY),
        ],
        expect![[r#"
            App (App)
              -> Gen (build) [Gen]
            Gen (Gen)
            Lib (Lib)
            Other (Other)
        "#]],
    );
}

#[test]
fn choices_are_all_taken() {
    check_app(
        "<Choose><When Condition=\"'$(TargetFramework)' == 'net48'\"><ItemGroup>\
        <PackageReference Include='Old' Version='1' /></ItemGroup></When>\
        <Otherwise><PropertyGroup><V>2</V></PropertyGroup><ItemGroup>\
        <PackageReference Include='New' Version='$(V)' /></ItemGroup></Otherwise></Choose>",
        expect![[r#"
            App (src/App)
              -> Old 1
              -> New 2
        "#]],
    );
}

#[test]
fn old_projects_with_packages_config() {
    check(
        &[
            (
                "App/App.csproj",
                "<Project ToolsVersion='4.0' xmlns='http://schemas.microsoft.com/developer/msbuild/2003'>\
                <Import Project='$(MSBuildToolsPath)\\Microsoft.CSharp.targets' />\
                <ItemGroup><ProjectReference Include='..\\Lib\\Lib.csproj'>\
                <Project>{0B5FB1F0}</Project><Name>Lib</Name></ProjectReference></ItemGroup></Project>",
            ),
            (
                "App/packages.config",
                "<packages><package id='NUnit' version='3.13' targetFramework='net48' />\
                <package id='StyleCop' version='6' developmentDependency='true' /><package /></packages>",
            ),
            ("Lib/Lib.csproj", EMPTY),
            (
                ".nuget/packages.config",
                "<packages><package id='X' version='1' /></packages>",
            ),
        ],
        expect![[r#"
            App (App)
              -> Lib [Lib]
              -> NUnit 3.13
              -> StyleCop 6 (dev)
            Lib (Lib)
        "#]],
    );
}

#[test]
fn two_projects_of_one_name_in_one_directory_are_one_package() {
    let old = properties("<AssemblyName>App</AssemblyName><Version>1.0</Version>");
    check(
        &[
            (
                "App.csproj",
                &items("<PackageReference Include='A' Version='1' />"),
            ),
            (
                "App.Old.csproj",
                &old.replace(
                    "</Project>",
                    "<ItemGroup><PackageReference Include='a' Version='0' />\
                    <PackageReference Include='B' Version='2' /></ItemGroup></Project>",
                ),
            ),
            ("Other.csproj", EMPTY),
        ],
        expect![[r#"
            App 1.0 ()
              -> a 0
              -> B 2
            Other ()
        "#]],
    );
}

#[test]
fn broken_files_say_so() {
    check(
        &[
            ("a.csproj", "<Project><PropertyGroup></Project>"),
            ("b.csproj", "<VisualStudioProject/>"),
            ("packages.config", "<configuration/>"),
            ("log4j.props", "log4j.rootLogger=DEBUG"),
            ("eng/Versions.props", "<Project><PropertyGroup>"),
            ("Directory.Build.props", ""),
            (
                "c.csproj",
                "<Project><ItemGroup><ProjectReference/></ItemGroup><ItemGroup/></Project>",
            ),
        ],
        expect![[r#"
            c ()
            problem: a.csproj:1: expected 'PropertyGroup' tag, not 'Project' at 1:25
            problem: b.csproj: the root element is <VisualStudioProject>, not <Project>
            problem: packages.config: the root element is <configuration>, not <packages>
            problem: eng/Versions.props:1: the root node was opened but never closed
        "#]],
    );
}

#[test]
fn endless_imports_and_values_end() {
    let loops = project(
        "<Import Project='$(MSBuildThisFileFullPath)' /><Import Project='b.props' />\
        <PropertyGroup><A>$(A);$(B)</A><B>$(A)$(A)</B><A>$(A);$(B)</A></PropertyGroup>",
    );
    let laughs: String = (1..40)
        .map(|n| format!("<L{n}>$(L{})$(L{})</L{n}>", n - 1, n - 1))
        .collect();
    check(
        &[
            ("Directory.Build.props", &loops),
            (
                "b.props",
                &loops.replace("b.props", "Directory.Build.props"),
            ),
            (
                "App.csproj",
                &properties(&format!(
                    "<L0>ha</L0>{laughs}<Version>$(L39)</Version><PackageId>$(A)</PackageId>"
                )),
            ),
        ],
        expect![[r#"
            App $(L39) ()
        "#]],
    );
}

#[test]
fn thousands_of_projects_share_the_files_above() {
    let versions: String = (0..500)
        .map(|n| format!("<PackageVersion Include='P{n}' Version='$(V{n})' />"))
        .collect();
    let values: String = (0..500).map(|n| format!("<V{n}>{n}.0</V{n}>")).collect();
    let mut files = vec![
        ("Directory.Build.props".to_string(), properties(&values)),
        ("Directory.Packages.props".to_string(), items(&versions)),
    ];
    files.extend((0..4_000).map(|n| {
        let reference = format!(
            "<PackageReference Include='P{}' /><ProjectReference Include='../{}/A.csproj' />",
            n % 500,
            (n + 1) % 4_000
        );
        (format!("{n}/A.csproj"), items(&reference))
    }));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    let rendered = render(&Dotnet, &files);
    assert_eq!(rendered.matches("-> A [").count(), 4_000);
    assert_eq!(rendered.matches("-> P7 7.0").count(), 8);
}
