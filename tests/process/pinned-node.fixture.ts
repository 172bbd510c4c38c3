import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const TOOLS = join(__dirname, '..', '..', 'tools', 'node');
/** Newer than any installed version, so that the version of every machine is too old. */
export const PINNED = '99.0.0';
const platform = `${process.platform}-${process.arch}`;

/** Starts a local package registry with one package: a Node that only reports another version. */
export async function startRegistry(folder: string) {
  const name = `node-${platform}`;
  const files = join(folder, 'package');
  mkdirSync(join(files, 'bin'), { recursive: true });
  writeFileSync(join(files, 'package.json'), JSON.stringify({ name, version: PINNED }));
  const program = `#!/bin/sh\n[ "$1" = --version ] && echo v${PINNED} || exec '${process.execPath}' "$@"\n`;
  writeFileSync(join(files, 'bin', 'node'), program, { mode: 0o755 });
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: files,
    encoding: 'utf8',
  });
  const [{ filename, integrity }] = JSON.parse(packed) as [{ filename: string; integrity: string }];
  const archive = readFileSync(join(folder, filename));
  const requests: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requests.push(url);
    if (url.endsWith('.tgz')) return void response.end(archive);
    const dist = { tarball: `${address}/${name}.tgz`, integrity };
    response.end(JSON.stringify({ name, versions: { [PINNED]: { name, version: PINNED, dist } } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address, integrity, requests, close: () => server.close() };
}

export interface Checkout {
  readonly registry: string;
  readonly integrity: string;
  /** Platform of the pinned package; default that of this machine. */
  readonly platform?: string;
}

/**
 * Creates a repository with only the bootstrap code and one script, which requires a Node version that is not
 * installed.
 */
export function createCheckout(folder: string, script: string, given: Checkout) {
  const tools = join(folder, 'tools', 'node');
  mkdirSync(tools, { recursive: true });
  for (const file of readdirSync(TOOLS).filter((file) => file.endsWith('.cjs')))
    cpSync(join(TOOLS, file), join(tools, file));
  const pin = { version: PINNED, integrity: given.integrity };
  const packages = { [`node_modules/node-${given.platform ?? platform}`]: pin };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ engines: { node: '>=99' } }));
  writeFileSync(join(tools, 'package-lock.json'), JSON.stringify({ packages }));
  writeFileSync(join(folder, 'tools', 'script.mjs'), script);
  /**
   * Runs the script; resolves to its exit code, signal and output. `onOutput` is called at each output, with a function
   * that signals the process.
   */
  const run = async (
    words: readonly string[] = [],
    onOutput?: (send: (signal: NodeJS.Signals) => void) => void,
  ) => {
    const child = spawn(process.execPath, [join(tools, 'run.cjs'), 'tools/script.mjs', ...words], {
      env: {
        ...process.env,
        npm_config_registry: given.registry,
        npm_config_cache: join(folder, 'cache'),
        npm_config_fetch_retries: '0',
      },
      timeout: 600_000,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      onOutput?.((signal) => child.kill(signal));
    });
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    return { code, signal, stdout, stderr };
  };
  return { run, installed: () => readdirSync(join(folder, '.node')) };
}
