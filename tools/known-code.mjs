// `npm run known-code -- <source>`: reads the component code that an installed or running Langflow ships, and writes the
// hashes that are not built in to a file for MILLRACE_KNOWN_CODE. With --templates it prints how the starter templates
// run here, with --members which members of its exports this release does not know.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { installIfNeeded } from './workspace/install-if-needed.mjs';
import { readInstalledCode, readInstalledMembers, readTemplates } from './known-code/installed-langflow.mjs';
import { readServedCode, readServedMembers } from './known-code/running-langflow.mjs';

/** @import { ExportPlace } from '@millrace/flow' */
/** @import { Template } from './known-code/installed-langflow.mjs' */

/** @typedef {Readonly<Record<string, readonly string[]>>} HashesByType */

const { values: flags, positionals } = readCommandLine({
  usage: `npm run known-code -- [options] <source>
  <source>       the site-packages folder of an installed Langflow, or the URL of a running one
  --key <key>    API key of the running Langflow; default LANGFLOW_API_KEY
  --out <file>   adds the hashes that are not built in to this file
  --templates    prints how each starter template of an installed Langflow runs here
  --members      prints the members of its exports that this release does not know; ends with 1 when there are any
  --help`,
  options: {
    key: { type: 'string', default: process.env.LANGFLOW_API_KEY ?? '' },
    out: { type: 'string' },
    templates: { type: 'boolean' },
    members: { type: 'boolean' },
  },
  positionals: { minimum: 1, maximum: 1 },
});
const [source] = positionals;
installIfNeeded(console.error);
// Imported only now, because the packages that it needs have just been installed.
const { loadWorkspaceCode } = await import('./workspace/load-workspace-code.mjs');
/** @type {typeof import('@millrace/components') & typeof import('@millrace/flow')} */
const code = await loadWorkspaceCode(
  `export { componentRegistry } from '@millrace/components';
  export { codeHash, compile, flowReport, knownMembers, parseFlowDocument, publishedHashes } from '@millrace/flow';`,
);
await main();

async function main() {
  const isServer = /^https?:\/\//.test(source);
  const found = isServer
    ? await readServedCode(source, { key: flags.key, codeHash: code.codeHash })
    : readInstalledCode(source, code.codeHash);
  const added = withoutBuiltIn(found);
  console.log(
    `${count(found)} hashes of ${Object.keys(found).length} types; ${count(added)} are not built in`,
  );
  if (flags.out !== undefined) write(flags.out, added);
  if (flags.members) await compareMembers(isServer);
  if (flags.templates) for (const template of readTemplates(source)) console.log(line(template));
}

/** @param {boolean} isServer */
async function compareMembers(isServer) {
  const found = isServer ? await readServedMembers(source, { key: flags.key }) : readInstalledMembers(source);
  const unknown = Object.entries(found).flatMap(([place, names]) =>
    [...names]
      .filter((name) => !code.knownMembers[/** @type {ExportPlace} */ (place)].has(name))
      .map((name) => `${place}: ${name}`),
  );
  const total = Object.values(found).reduce((sum, names) => sum + names.size, 0);
  console.log(`${total} members of exports; ${unknown.length} are not known here`);
  for (const line of unknown.sort()) console.log(`  ${line}`);
  if (unknown.length > 0) process.exitCode = 1;
}

/** @param {HashesByType} found */
function withoutBuiltIn(found) {
  const entries = Object.entries(found).map(([type, hashes]) => [
    type,
    hashes.filter((hash) => !(code.publishedHashes[type] ?? []).includes(hash)),
  ]);
  return Object.fromEntries(entries.filter(([, hashes]) => hashes.length > 0));
}

/**
 * @param {string} file
 * @param {HashesByType} added
 */
function write(file, added) {
  const merged = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  for (const [type, hashes] of Object.entries(added))
    merged[type] = [...new Set([...(merged[type] ?? []), ...hashes])].sort();
  writeFileSync(file, `${JSON.stringify(merged, null, 2)}\n`);
  console.log(`${file}: ${count(merged)} hashes; set MILLRACE_KNOWN_CODE to it on gateways and executors`);
}

/** @param {HashesByType} hashesByType */
function count(hashesByType) {
  return Object.values(hashesByType).reduce((total, hashes) => total + hashes.length, 0);
}

/** @param {Template} template */
function line({ name, document }) {
  const plan = code.compile(code.parseFlowDocument(document), {
    flowId: name,
    version: 1,
    registry: code.componentRegistry,
  });
  const { verdict, vertices } = code.flowReport(plan, { hasVariable: () => true, isApproved: () => true });
  const reasons = vertices
    .filter(({ status }) => ['needs_python', 'refused'].includes(status))
    .map(({ type, status }) => `${type} (${status})`);
  return `${verdict.padEnd(18)} ${name}${reasons.length > 0 ? `: ${[...new Set(reasons)].join(', ')}` : ''}`;
}
