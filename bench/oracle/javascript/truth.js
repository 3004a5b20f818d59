// What TypeScript's checker says every name of a tree of JavaScript means, as lines of JSON that
// compare.py reads: node truth.js TREE > truth.jsonl. scip-typescript names no definition for what is
// assigned (`exports.a = …`, `app.use = …`, `X.prototype.m = …`); the checker that it asks does. Libraries
// need not be there: what is called on values of theirs is not told.
"use strict";

const fs = require("fs");
const path = require("path");
const ts = require("typescript");

const root = fs.realpathSync(process.argv[2]);
const program = ts.createProgram(sources(root), {
  allowJs: true,
  checkJs: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.CommonJS,
  moduleResolution: ts.ModuleResolutionKind.Node10,
  types: [],
});
const checker = program.getTypeChecker();

for (const file of program.getSourceFiles()) {
  if (isOurs(file)) visit(file, file);
}

function sources(directory) {
  const found = [];
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const whole = path.join(directory, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith(".")) found.push(...sources(whole));
    if (entry.isFile() && /\.(js|cjs|mjs|jsx)$/.test(entry.name)) found.push(whole);
  }
  return found.sort();
}

function isOurs(file) {
  return file.fileName.startsWith(root + "/") && !file.fileName.includes("/node_modules/");
}

function visit(file, node) {
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) mention(file, node);
  if (ts.isClassLike(node)) relate(node);
  if (ts.isConstructorDeclaration(node) && node.parent.name) construct(file, node);
  ts.forEachChild(node, (inner) => visit(file, inner));
}

function mention(file, name) {
  const symbol = meant(checker.getSymbolAtLocation(name));
  if (!symbol) return;
  for (const declaration of declarations(symbol)) {
    const place = ts.getNameOfDeclaration(declaration);
    if (place && isOurs(place.getSourceFile())) tell(file, name, declaration, lastName(place));
  }
}

/** What declares a name, and what declares the name that it is set to: `exports.a = b`, `{ a: b, c }`. */
function declarations(symbol, depth = 0) {
  const own = symbol?.declarations ?? [];
  if (depth > 4) return own;
  const others = own.map((declaration) => {
    if (ts.isShorthandPropertyAssignment(declaration)) return checker.getShorthandAssignmentValueSymbol(declaration);
    const value = ts.isPropertyAssignment(declaration) ? declaration.initializer : assigned(declaration);
    return value && ts.isIdentifier(value) ? checker.getSymbolAtLocation(value) : undefined;
  });
  return [...own, ...others.flatMap((other) => declarations(meant(other), depth + 1))];
}

/** A class and its constructor are one for compare.py, by their names. */
function construct(file, node) {
  const at = file.getLineAndCharacterOfPosition(node.getStart(file));
  const name = called(node.parent, node.parent.name) + "constructor().";
  const end = at.character + "constructor".length;
  const line = { path: path.relative(root, file.fileName), line: at.line + 1, column: at.character, endColumn: end, symbol: name, definition: true };
  process.stdout.write(JSON.stringify(line) + "\n");
}

/** What an import stands for, at its end. */
function meant(symbol) {
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** `X.prototype.m` is the name of `m`. */
function lastName(node) {
  return ts.isPropertyAccessExpression(node) ? node.name : node;
}

function tell(file, name, declaration, place) {
  const at = file.getLineAndCharacterOfPosition(name.getStart(file));
  const line = {
    path: path.relative(root, file.fileName),
    line: at.line + 1,
    column: at.character,
    endColumn: at.character + name.getText(file).length,
    symbol: called(declaration, place),
    definition: place === name,
  };
  process.stdout.write(JSON.stringify(line) + "\n");
}

/** A name of its own for a definition, with an end that tells its kind as names of SCIP do. */
function called(declaration, place) {
  const file = place.getSourceFile();
  const at = file.getLineAndCharacterOfPosition(place.getStart(file));
  const where = `${path.relative(root, file.fileName)}:${at.line + 1}:${at.character}/${place.getText(file)}`;
  if (ts.isParameter(declaration)) return `${where})`;
  if (ts.isClassLike(declaration)) return `${where}#`;
  const value = declaration.initializer ?? assigned(declaration);
  const isFunction = ts.isFunctionLike(declaration) || (value && (ts.isFunctionLike(value) || ts.isClassLike(value)));
  return isFunction ? `${where}().` : `${where}.`;
}

/** What `a.b = value` gives its name. */
function assigned(declaration) {
  const whole = ts.isBinaryExpression(declaration) ? declaration : declaration.parent;
  return whole && ts.isBinaryExpression(whole) ? whole.right : undefined;
}

function relate(node) {
  if (!node.name) return;
  for (const clause of node.heritageClauses ?? []) {
    for (const base of clause.types) {
      const symbol = meant(checker.getSymbolAtLocation(base.expression));
      const declaration = symbol?.declarations?.find(ts.isClassLike);
      if (declaration?.name && isOurs(declaration.getSourceFile())) {
        const line = { type: called(node, node.name), interface: called(declaration, declaration.name) };
        process.stdout.write(JSON.stringify(line) + "\n");
      }
    }
  }
}
