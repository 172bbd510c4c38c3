import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { flowData, node } from '@millrace/testing';
import { pageCommands, ROOT } from './page-commands';
import { PRINTED_URL } from '../system/printed-commands';
import { startExamples } from '../system/running-examples';
import type { RunningExamples } from '../system/running-examples';

let system: RunningExamples;
let folder: string;

beforeAll(async () => {
  system = await startExamples();
  folder = mkdtempSync(join(tmpdir(), 'millrace-pages-'));
}, 120_000);

afterAll(async () => {
  await system?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

interface Ended {
  readonly code: number | string | null | undefined;
  readonly text: string;
}

/** Runs a script in the prepared folder, where curl fails on an error of the server and `millrace` is on the PATH. */
function run(script: string, environment: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolve) => {
    const env = {
      ...process.env,
      ...environment,
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
      PATH: [join(folder, 'bin'), join(ROOT, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
    };
    const options = { cwd: folder, env, timeout: 120_000 };
    const child = execFile(
      'sh',
      ['-e', '-c', script.replaceAll(PRINTED_URL, system.url)],
      options,
      (_, out, faults) =>
        resolve({
          code: child.exitCode ?? child.signalCode,
          text: `${out.slice(-1_000)}${faults.slice(-2_000)}`,
        }),
    );
    // The answer to commands that ask before they delete; others end without reading it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end('yes\n');
  });
}

async function post<T>(path: string, body: unknown, key = system.key): Promise<T> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const answer = await fetch(`${system.url}/api/v1${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Writes the files and creates the records that the pages name; resolves to the variables that they use. */
async function prepare(): Promise<Record<string, string>> {
  // A checkout as the pages see it, in which commands can write files.
  for (const name of readdirSync(ROOT))
    if (name !== '.millrace') symlinkSync(join(ROOT, name), join(folder, name));
  mkdirSync(join(folder, 'bin'));
  const curl = join(folder, 'bin', 'curl');
  writeFileSync(curl, '#!/bin/sh\nPATH="${PATH#*:}" exec curl --fail-with-body "$@"\n');
  chmodSync(curl, 0o755);
  const echo = JSON.parse(readFileSync(join(ROOT, 'examples', 'echo.json'), 'utf8')) as object;
  for (const path of ['folder', 'installation', 'installation/flows']) mkdirSync(join(folder, path));
  const flow = (name: string) => JSON.stringify({ ...echo, name, endpoint_name: name });
  for (const path of ['my-flow.json', 'flow.json', 'folder/one.json', 'installation/flows/support.json'])
    writeFileSync(join(folder, path), flow(/[\w-]+(?=\.json)/.exec(path)?.[0] ?? ''));
  writeFileSync(join(folder, 'langflow.env'), 'LANGFLOW_PORT=7860\n');
  const { api_key: production } = await post<{ api_key: string }>('/users', { username: 'production' });
  writeFileSync(join(folder, 'production.key'), `${production}\n`, { mode: 0o600 });
  await post('/variables/', {
    name: 'CALLBACK_SECRET',
    value: 'whsec_dGhlIHNlY3JldCBvZiB0aGUgdGVzdA',
    type: 'Credential',
    default_fields: [],
  });
  const { id: flowId } = await post<{ id: string }>('/flows/', {
    ...echo,
    name: 'Pages',
    endpoint_name: 'pages',
  });
  const hook = {
    flow_id: flowId,
    name: 'orders-by-hook',
    kind: 'inbound_webhook',
    state: 'active',
    config: {},
  };
  const { id: trigger } = await post<{ id: string }>('/triggers', hook);
  const signing = await post<Record<string, string>>(`/triggers/${trigger}/signing-secret`, {});
  const { id: askingId } = await post<{ id: string }>('/flows/', {
    name: 'Asking',
    data: flowData(
      [
        node('ChatInput-a', { input_value: '' }, 'message'),
        node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
        node('ChatOutput-z', { input_value: '' }, 'message'),
      ],
      ['ChatInput-a.message > HumanInput-h.prompt', 'HumanInput-h.branch_approve > ChatOutput-z.input_value'],
    ),
  });
  const { run_id: runId } = await post<{ run_id: string }>('/webhook/pages', { customer: 'Ann' });
  const { id: keyId } = await post<{ id: string }>('/api_key/', { name: 'pages' });
  return {
    MILLRACE_URL: system.url,
    MILLRACE_API_KEY: system.key,
    MILLRACE_DATA_DIRECTORY: system.dataFolder,
    URL: system.url,
    KEY: system.key,
    ADMIN_KEY: system.key,
    KEY_ID: keyId,
    FLOW: flowId,
    ASKING_FLOW: askingId,
    FLOW_ID: flowId,
    RUN_ID: runId,
    SECRET: signing['signing_secret'] ?? '',
    INGRESS_URL: signing['ingress_url'] ?? '',
  };
}

test('each command of each page runs, or the list of other places says why it does not run here', async () => {
  const { blocks, unused } = pageCommands();
  expect(unused).toEqual([]);
  const environment = await prepare();
  const login = `millrace login --profile production --url ${system.url} --key-file production.key`;
  expect(await run(login, environment)).toMatchObject({ code: 0 });
  const failed: unknown[] = [];
  let count = 0;
  for (const { page, line, script } of blocks) {
    if (script === '') continue;
    count += 1;
    const ended = await run(script, environment);
    if (ended.code !== 0) failed.push({ page, line, ...ended, script });
  }
  expect(failed).toEqual([]);
  expect(count).toBeGreaterThan(35);
}, 600_000);
