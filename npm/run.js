// Starts a program of this package: ken, shire or spox. The programs are in one optional package per platform;
// npm installs the one that fits. Nothing is downloaded or run at install.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The package of this platform, by the names of npm. Linux has one for glibc and one for musl. */
function platformPackage() {
  const platform = `${process.platform}-${process.arch}`;
  if (process.platform !== "linux") return `@kenning/${platform}`;
  const usesGlibc = Boolean(process.report.getReport().header.glibcVersionRuntime);
  return `@kenning/${platform}${usesGlibc ? "" : "-musl"}`;
}

/** The path of a program, or undefined if the package of this platform is not installed. */
function findProgram(name) {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  try {
    return require.resolve(`${platformPackage()}/bin/${file}`);
  } catch {
    return undefined;
  }
}

/** Runs a program with the arguments of this process, and ends as it ends. */
function run(name) {
  const program = findProgram(name);
  if (!program) {
    console.error(
      `error: there is no program for this platform: ${platformPackage()} is not installed\n` +
        "hint: install without --omit=optional; if the platform has no package, run `cargo install --locked kenning`",
    );
    process.exit(127);
  }
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`error: ${program} cannot be started: ${error.message}`);
    process.exit(126);
  });
  // A program that a signal ended gets the exit code that a shell would report.
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

module.exports = { run };
