// The public surface of each library and of what tests share: api.txt of a package has the names that it exports, with their types.
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** @typedef {{ readonly module: string, readonly folder: string, readonly file: string }} Entry a path that a package exports */

const TYPEDEF_FLAGS = ts.TypeFormatFlags.InTypeAlias | ts.TypeFormatFlags.NoTruncation;

export function generate() {
  const entries = fs
    .globSync('{libs,tests}/*/package.json', { cwd: workspaceRoot })
    .sort()
    .flatMap(entriesOf);
  const options = compilerOptions();
  // Without the types of packages, which take as long to read as this workspace: nearly all types are written in the sources.
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) =>
      /^[^.@]|^@(?!millrace)/.test(text)
        ? { resolvedModule: undefined }
        : ts.resolveModuleName(text, from, options, host),
    );
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    options,
    host,
  );
  const folders = [...new Set(entries.map(({ folder }) => folder))];
  return folders.map((folder) => {
    const own = entries.filter((entry) => entry.folder === folder);
    return { path: join(folder, 'api.txt'), text: own.map((entry) => report(program, entry)).join('\n') };
  });
}

/**
 * @param {string} manifest
 * @returns {Entry[]}
 */
function entriesOf(manifest) {
  const { name, exports } = JSON.parse(fs.readFileSync(join(workspaceRoot, manifest), 'utf8'));
  const folder = dirname(manifest);
  return Object.entries(exports).map(([path, file]) => ({
    module: join(name, path),
    folder,
    file: join(workspaceRoot, folder, file),
  }));
}

function compilerOptions() {
  const { config } = ts.readConfigFile(join(workspaceRoot, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, workspaceRoot);
  return {
    ...options,
    // As for the libraries in JavaScript: with "preserve", their `require` is no import.
    module: ts.ModuleKind.ESNext,
    composite: false,
    declaration: false,
    emitDeclarationOnly: false,
    noEmit: true,
    types: [],
  };
}

/**
 * @param {ts.Program} program
 * @param {Entry} entry
 */
function report(program, { module, file }) {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const symbol = source && checker.getSymbolAtLocation(source);
  if (symbol === undefined) throw new Error(`${file} exports nothing`);
  const lines = checker
    .getExportsOfModule(symbol)
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((exported) => linesOf(checker, exported));
  return `# ${module}: ${lines.filter((line) => !line.startsWith(' ')).length} names\n${lines.join('\n')}\n`;
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} exported
 * @returns {string[]}
 */
function linesOf(checker, exported) {
  const symbol = declaredSymbol(checker, exported);
  return (symbol.declarations ?? []).flatMap((declaration) => {
    const { name } = exported;
    if (ts.isClassDeclaration(declaration))
      return [headOf('class', name, declaration), ...membersOf(checker, declaration)];
    if (ts.isInterfaceDeclaration(declaration))
      return [headOf('interface', name, declaration), ...membersOf(checker, declaration)];
    if (ts.isTypeAliasDeclaration(declaration))
      return [`type ${name}${parametersOf(declaration)} = ${textOf(declaration.type)}`];
    if (ts.isFunctionDeclaration(declaration)) {
      // With overloads, the implementation is not visible.
      if (declaration.body !== undefined && (symbol.declarations?.length ?? 0) > 1) return [];
      return [`function ${name}${signatureOf(checker, declaration)}`];
    }
    if (ts.isVariableDeclaration(declaration)) return [`const ${name}: ${typeOf(checker, declaration)}`];
    return [otherLine(checker, { name, symbol, declaration })];
  });
}

/**
 * The line of a type or of an assigned value in JavaScript.
 * @param {ts.TypeChecker} checker
 * @param {{ readonly name: string, readonly symbol: ts.Symbol, readonly declaration: ts.Declaration }} exported
 */
function otherLine(checker, { name, symbol, declaration }) {
  if (symbol.flags & ts.SymbolFlags.Type) {
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    return `type ${name} = ${inferred(checker, type, declaration, TYPEDEF_FLAGS)}`;
  }
  const type = checker.getTypeOfSymbolAtLocation(symbol, declaration);
  const [signature] = type.getCallSignatures();
  return signature === undefined
    ? `const ${name}: ${inferred(checker, type, declaration)}`
    : `function ${name}${signatureOf(checker, signature.getDeclaration())}`;
}

/**
 * Follows imports, and the members of `module.exports`.
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} symbol
 * @returns {ts.Symbol}
 */
function declaredSymbol(checker, symbol) {
  if (symbol.flags & ts.SymbolFlags.Alias) return declaredSymbol(checker, checker.getAliasedSymbol(symbol));
  const [member] = symbol.declarations ?? [];
  const value = member && checker.getShorthandAssignmentValueSymbol(member);
  return value === undefined ? symbol : declaredSymbol(checker, value);
}

/**
 * @param {string} kind
 * @param {string} name
 * @param {ts.ClassDeclaration | ts.InterfaceDeclaration} declaration
 */
function headOf(kind, name, declaration) {
  const heritage = (declaration.heritageClauses ?? []).map((clause) => ` ${textOf(clause)}`).join('');
  return `${kind} ${name}${parametersOf(declaration)}${heritage}`;
}

/** @param {ts.SignatureDeclaration | ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeAliasDeclaration} declaration */
function parametersOf(declaration) {
  const parameters = ts.getEffectiveTypeParameterDeclarations(declaration);
  return parameters.length === 0 ? '' : `<${parameters.map(textOf).join(', ')}>`;
}

/**
 * Returns a line for each public member, in the order of the source.
 * @param {ts.TypeChecker} checker
 * @param {ts.ClassDeclaration | ts.InterfaceDeclaration} declaration
 */
function membersOf(checker, declaration) {
  return [...declaration.members].filter(isPublic).map((member) => {
    const isStatic = ts.canHaveModifiers(member) && hasModifier(member, ts.SyntaxKind.StaticKeyword);
    const prefix = `  ${isStatic ? 'static ' : ''}`;
    if (ts.isConstructorDeclaration(member)) return `${prefix}constructor${parameterList(checker, member)}`;
    if (member.name === undefined) return `${prefix}${textOf(member)}`;
    const name = `${member.name.getText()}${'questionToken' in member && member.questionToken ? '?' : ''}`;
    if (ts.isFunctionLike(member) && !ts.isAccessor(member))
      return `${prefix}${name}${signatureOf(checker, member)}`;
    return `${prefix}${name}: ${typeOf(checker, member)}`;
  });
}

/** @param {ts.ClassElement | ts.TypeElement} member */
function isPublic(member) {
  if (ts.isSemicolonClassElement(member) || ts.isClassStaticBlockDeclaration(member)) return false;
  if (member.name !== undefined && ts.isPrivateIdentifier(member.name)) return false;
  return !ts.canHaveModifiers(member) || !hasModifier(member, ts.SyntaxKind.PrivateKeyword);
}

/**
 * @param {ts.HasModifiers} node
 * @param {ts.SyntaxKind} kind
 */
function hasModifier(node, kind) {
  return ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) === true;
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.SignatureDeclaration} declaration
 */
function signatureOf(checker, declaration) {
  const signature = checker.getSignatureFromDeclaration(declaration);
  const type = declaration.type ?? ts.getJSDocReturnType(declaration);
  const returned =
    type === undefined && signature !== undefined
      ? inferred(checker, signature.getReturnType(), declaration)
      : textOf(type);
  return `${parametersOf(declaration)}${parameterList(checker, declaration)}: ${returned}`;
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.SignatureDeclaration} declaration
 */
function parameterList(checker, { parameters }) {
  const all = parameters.map((parameter, index) => {
    const name = ts.isIdentifier(parameter.name) ? parameter.name.text : `given${index || ''}`;
    const isOptional = parameter.questionToken !== undefined || parameter.initializer !== undefined;
    return `${parameter.dotDotDotToken ? '...' : ''}${name}${isOptional ? '?' : ''}: ${typeOf(checker, parameter)}`;
  });
  return `(${all.join(', ')})`;
}

/**
 * The type that the source names; else the one that TypeScript infers, which it shortens when it is long.
 * @param {ts.TypeChecker} checker
 * @param {ts.Node & { readonly type?: ts.TypeNode | undefined }} declaration
 */
function typeOf(checker, declaration) {
  const isRest = ts.isParameter(declaration) && declaration.dotDotDotToken !== undefined;
  const type = declaration.type ?? (isRest ? undefined : ts.getJSDocType(declaration));
  if (type !== undefined) return textOf(type);
  return inferred(checker, checker.getTypeAtLocation(declaration), declaration);
}

/**
 * The text of an inferred type. TypeScript orders the literals of a union by their first occurrence in the program, which other
 * files change, so they are sorted here.
 * @param {ts.TypeChecker} checker
 * @param {ts.Type} type
 * @param {ts.Node} declaration
 * @param {ts.TypeFormatFlags} [flags]
 */
function inferred(checker, type, declaration, flags) {
  return checker
    .typeToString(type, declaration, flags)
    .replace(/"[^"]*"(?: \| "[^"]*")+/g, (union) => union.split(' | ').sort().join(' | '));
}

/**
 * The source of a node on one line, without comments.
 * @param {ts.Node | undefined} node
 */
function textOf(node) {
  if (node === undefined) return '';
  return printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(/\s+/g, ' ').trim();
}

const printer = ts.createPrinter({ removeComments: true });
