//! Single project files.

use super::*;

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
            ("src/Lib/Lib.csproj", &properties("<PackageId>Acme.Lib</PackageId>")),
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
            ("all/All.csproj", &items("<ProjectReference Include='..\\src\\**\\*.csproj' />")),
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
            ("App/App.csproj", &items("<PackageReference Include='Acme.Lib' Version='1.0' />")),
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
