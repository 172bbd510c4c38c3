// `millrace/client` and the page of `man millrace`, which only the npm package has.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { loadWorkspaceCode } from '../build/load-workspace-code.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const CLIENT = 'apps/cli/src/client/index.ts';
const OUTPUT = 'dist/client';
const MAN_PAGE = 'deploy/package/millrace.1';

/** Members of the manifest of the package. */
export const clientMembers = {
  exports: {
    './client': { types: `./${OUTPUT}/index.d.ts`, default: `./${OUTPUT}/index.js` },
    './package.json': './package.json',
  },
  man: [`./${MAN_PAGE}`],
};

/**
 * Adds the client as one module that runs wherever there is `fetch`, and its types.
 * @param {string} stage folder of the files of the package
 */
export async function addClient(stage) {
  const output = join(stage, OUTPUT);
  await build({
    absWorkingDir: workspaceRoot,
    entryPoints: [CLIENT],
    outfile: join(output, 'index.js'),
    bundle: true,
    // Modules of Node, too, can then import its exports by name.
    platform: 'node',
    format: 'cjs',
    target: 'es2022',
    logLevel: 'warning',
  });
  const program = ts.createProgram([join(workspaceRoot, CLIENT)], {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2024.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: output,
    types: ['node'],
  });
  const faults = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  const [fault] = faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  if (fault !== undefined) throw new Error(`The types of the client were not made: ${fault}`);
}

/**
 * Adds the page of `man millrace`.
 * @param {string} stage
 * @param {string} version
 */
export async function addManPage(stage, version) {
  /** @type {typeof import('../../apps/cli/src/man-page')} */
  const { manPage } = await loadWorkspaceCode("export { manPage } from './man-page';", 'apps/cli/src');
  writeFileSync(join(stage, MAN_PAGE), manPage(version));
}
