//! Shared files above projects, and odd files.

use super::*;

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
            ("off/App.csproj", &items("<PackageReference Include='Serilog' />")),
            (
                "elsewhere/Directory.Build.props",
                &properties(
                    "<DirectoryPackagesPropsPath>$(MSBuildThisFileDirectory)../eng/Packages.props\
                    </DirectoryPackagesPropsPath>",
                ),
            ),
            ("eng/Packages.props", &items("<PackageVersion Include='Serilog' Version='9' />")),
            ("elsewhere/App.csproj", &items("<PackageReference Include='Serilog' />")),
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
            ("App/App.csproj", &properties("<UseGenerator>true</UseGenerator>")),
            ("Lib/Lib.csproj", &properties("<UseGenerator>true</UseGenerator>")),
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
            (".nuget/packages.config", "<packages><package id='X' version='1' /></packages>"),
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
            ("App.csproj", &items("<PackageReference Include='A' Version='1' />")),
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
    let laughs: String =
        (1..40).map(|n| format!("<L{n}>$(L{})$(L{})</L{n}>", n - 1, n - 1)).collect();
    check(
        &[
            ("Directory.Build.props", &loops),
            ("b.props", &loops.replace("b.props", "Directory.Build.props")),
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
    let versions: String =
        (0..500).map(|n| format!("<PackageVersion Include='P{n}' Version='$(V{n})' />")).collect();
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
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let rendered = render(&Dotnet, &files);
    assert_eq!(rendered.matches("-> A [").count(), 4_000);
    assert_eq!(rendered.matches("-> P7 7.0").count(), 8);
}
