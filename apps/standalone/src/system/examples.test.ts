import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunResponse } from '@millrace/flow';
import { startModelServer } from '@millrace/model-server';
import type { ModelServer } from '@millrace/model-server';
import { startServiceProcess } from '@millrace/scaled-system';
import type { ServiceProcess } from '@millrace/scaled-system';
import { startFakeServices } from './fake-services';
import type { FakeServices } from './fake-services';
import { printedCommands, runCommands } from './printed-commands';

const data = mkdtempSync(join(tmpdir(), 'millrace-examples-'));
const system = { url: '', key: '' };
let model: ModelServer;
let fakeServices: FakeServices;
let service: ServiceProcess | undefined;

// Starts the bundle as `npm start` does: one process, with the examples loaded on its first start.
beforeAll(async () => {
  [model, fakeServices] = await Promise.all([startModelServer(), startFakeServices()]);
  const lines: string[] = [];
  service = await startServiceProcess({
    app: 'standalone',
    flags: ['--port', '0', '--data', data],
    environment: {
      DATABASE_URL: '',
      AMQP_URL: '',
      REDIS_URL: '',
      LOG_LEVEL: 'info',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-test',
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
    },
    print: (line) => lines.push(line),
  });
  system.url = `http://127.0.0.1:${String(service.ready['port'])}`;
  system.key = /sk-[\w-]{43}/.exec(lines.join('\n'))?.[0] ?? '';
}, 120_000);

afterAll(async () => {
  await service?.stop();
  await Promise.all([model.close(), fakeServices.close()]);
  rmSync(data, { recursive: true, force: true });
});

const send = (path: string, body: unknown): Promise<Response> =>
  fetch(`${system.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'x-api-key': system.key, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const read = async (path: string): Promise<unknown> =>
  (await fetch(`${system.url}${path}`, { headers: { 'x-api-key': system.key } })).json();

const textsOf = ({ outputs }: RunResponse): string[] =>
  (outputs[0]?.outputs ?? []).map(({ results }) => (results as { message: { text: string } }).message.text);

/** Runs an example by its endpoint name; resolves to the texts of its Chat Outputs. */
async function run(endpoint: string, body: unknown): Promise<string[]> {
  const answer = await send(`/run/${endpoint}`, body);
  const responseText = await answer.text();
  if (answer.status !== 200) throw new Error(responseText);
  return textsOf(JSON.parse(responseText) as RunResponse);
}

/** Runs the changed commands of examples/README.md; resolves to the texts of the run of the last command. */
async function runPrinted(endpoint: string, change = (commands: string) => commands): Promise<string[]> {
  const written = await runCommands(change(printedCommands(endpoint)), system);
  const answer = written.slice(written.lastIndexOf('{"session_id"'));
  if (!answer.startsWith('{"session_id"')) throw new Error(written);
  return textsOf(JSON.parse(answer) as RunResponse);
}

async function upload(name: string, content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const body = new FormData();
  body.set('file', new Blob([content]), name);
  const headers = { 'x-api-key': system.key };
  const answer = await fetch(`${system.url}/api/v2/files/`, { method: 'POST', headers, body });
  return ((await answer.json()) as { path: string }).path;
}

describe('order-alert', () => {
  const order = (quantity: number): string =>
    JSON.stringify({ customer: 'Ben', quantity, product: 'pencils' });

  test('sends an alert for a large order, as printed', async () => {
    expect(await runPrinted('order-alert')).toEqual(['The alert was answered with status 202.']);
  });

  test('as a webhook, sends alerts to the address in a variable, and none for small orders', async () => {
    await send('/variables/', { name: 'ALERT_URL', value: `${fakeServices.url}/alerts`, type: 'Generic' });
    expect(await webhook('order-alert', order(100))).toMatchObject({ status: 'succeeded' });
    expect(fakeServices.alerts).toEqual([]);
    expect(await webhook('order-alert', order(101))).toMatchObject({ status: 'succeeded' });
    expect(fakeServices.alerts).toEqual([{ text: 'Large order from Ben: 101 pencils' }]);
  });

  test('reports the error status of the alert receiver', async () => {
    const tweaks = {
      'Webhook-alert1': { data: order(200) },
      'APIRequest-alert6': { url_input: fakeServices.url },
    };
    expect(await run('order-alert', { tweaks })).toEqual(['The alert was answered with status 404.']);
  });
});

/** Sends a body to a flow's webhook and waits for the end of its run. */
async function webhook(endpoint: string, body: string): Promise<unknown> {
  const { run_id } = (await (await send(`/webhook/${endpoint}`, body)).json()) as { run_id: string };
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const record = (await read(`/api/v1/runs/${run_id}`)) as { status: string };
    if (!['accepted', 'queued', 'running'].includes(record.status)) return record;
    await pause(100);
  }
  throw new Error(`run ${run_id} did not end`);
}

describe('file-ingest and file-questions', () => {
  test('answer from a stored file, as printed', async () => {
    const [answer] = await runPrinted('file-ingest');
    const parts = /not answer it\.\n\n(.*)\n\nQuestion: What does the 202 of a webhook mean\?$/s.exec(
      answer ?? '',
    );
    const pieces = parts?.[1]?.split('\n---\n') ?? [];
    expect(pieces).toHaveLength(4);
    const whole = readFileSync(join(__dirname, '..', '..', '..', '..', 'README.md'), 'utf8');
    for (const piece of pieces) expect(whole).toContain(piece);
  });

  test('the piece that fits best comes first', async () => {
    const pieces = ['Overshot wheels need height.', 'Undershot wheels need flow.'];
    await upload('wheels.txt', pieces.join('\n\n'));
    const tweaks = { 'File-ingest1': { path: ['wheels.txt'] }, 'SplitText-ingest2': { chunk_size: 30 } };
    expect(await run('file-ingest', { tweaks })).toEqual([pieces.join('\n---\n')]);
    for (const [piece = '', other] of [pieces, [...pieces].reverse()]) {
      const one = { 'LocalDB-ask3': { number_of_results: 1 } };
      const [answer] = await run('file-questions', { input_value: piece, tweaks: one });
      expect(answer).toContain(`\n\n${piece}\n\nQuestion: ${piece}`);
      expect(answer).not.toContain(other);
    }
  });

  test('report a missing file, and an empty list of files', async () => {
    const tweaks = { 'File-ingest1': { path: ['nowhere.txt'] } };
    await expect(run('file-ingest', { tweaks })).rejects.toThrow("File not found: 'nowhere.txt'");
    await expect(run('file-ingest', {})).rejects.toThrow('No files to process');
  });
});

describe('agent-with-tools', () => {
  // Use a new session each time, because earlier messages of a session are sent again.
  const ask = (input_value: string): Promise<string[]> =>
    run('agent-with-tools', { input_value, session_id: randomUUID() });

  test('answers a question, as printed', async () => {
    expect((await runPrinted('agent-with-tools'))[0]).toContain('17.5');
  });

  test('computes, reads a page and knows the date', async () => {
    expect(await ask('[[call=evaluate_expression with="expression=6*7"]]')).toEqual([
      expect.stringContaining('42'),
    ]);
    expect(await ask('[[call=evaluate_expression with="expression=6*9"]]')).toEqual([
      expect.stringContaining('54'),
    ]);
    expect(await ask(`${fakeServices.url}/page [[call=fetch_content]]`)).toEqual([
      expect.stringContaining('The wheel turns.'),
    ]);
    expect(await ask('[[call=get_current_date with="timezone=Asia/Tokyo"]]')).toEqual([
      expect.stringMatching(/Asia\/Tokyo: \d{4}-\d\d-\d\d .* JST/),
    ]);
  });

  test('fails the run when the model refuses the request', async () => {
    await expect(ask('[[status=400]]')).rejects.toThrow('Error building Component Agent');
  });
});

describe('review-labels', () => {
  test('labels every row, as printed', async () => {
    expect(await runPrinted('review-labels')).toEqual([
      'works very well.: 1\nbroke after a day.: 1',
      'Works very well.: Works very well.\nBroke after a day.: Broke after a day.',
    ]);
  });

  test('counts the labels of another file', async () => {
    const path = await upload(
      'more.csv',
      'review\nA [[reply=Positive]]\nB [[reply=negative]]\nC [[reply=positive]]\n',
    );
    const [counts] = await run('review-labels', { tweaks: { 'File-label1': { path: [path] } } });
    expect(counts).toBe('positive: 2\nnegative: 1');
  });

  test('refuses a table without the column', async () => {
    const path = await upload('other.csv', 'opinion\nGood\n');
    const answer = run('review-labels', { tweaks: { 'File-label1': { path: [path] } } });
    await expect(answer).rejects.toThrow("Column 'review' not found in the DataFrame");
  });
});

describe('line-by-line', () => {
  test('asks about each line, as printed', async () => {
    expect(await runPrinted('line-by-line')).toEqual([
      'Translate into French: Good morning.\nTranslate into French: The mill is closed today.',
    ]);
  });

  test('ends the run when a line fails', async () => {
    const answer = run('line-by-line', { input_value: 'one\ntwo [[status=400]]\nthree' });
    await expect(answer).rejects.toThrow('Error building Component Language Model');
  });
});

describe('contact-extraction and contact-note', () => {
  test('return the fields of the schema, as printed', async () => {
    const [text = ''] = await runPrinted('contact-extraction');
    const contact = JSON.parse(text.replace(/^```json|```$/g, '')) as Record<string, unknown>;
    expect(Object.keys(contact).sort()).toEqual(['email', 'name', 'request', 'seats']);
    expect(contact).toMatchObject({ seats: 12, name: expect.stringContaining('Ann Miller') as string });
  });

  test('the note contains the result of the other flow, as printed', async () => {
    const [note] = await runPrinted('contact-note');
    expect(note).toMatch(/^New contact, to be called today\.\n/);
    expect(note).toMatch(/"seats": 30/);
  });

  test('the note fails without the flow that it runs', async () => {
    const tweaks = { 'RunFlow-note2': { flow_name_selected: 'Missing flow' } };
    const answer = run('contact-note', { input_value: 'Hello', tweaks });
    await expect(answer).rejects.toThrow('Flow not found');
  });
});

describe('support-triage', () => {
  test('a message that fits no team goes to a colleague, as printed', async () => {
    expect(await runPrinted('support-triage')).toEqual([
      'A colleague will read this and call you back. You wrote: I was charged twice in May.',
    ]);
  });

  test.each([
    ['Billing', 'Our billing team answers'],
    ['Technical', 'Our engineers look into it'],
    ['Account', 'We have sent you a link'],
  ])('routes %s to its own answer only', async (team, answer) => {
    const texts = await run('support-triage', { input_value: `Help! [[reply=${team}]]` });
    expect(texts).toEqual([expect.stringMatching(`^${answer}.* Help!`)]);
  });
});

test('chat-with-memory remembers only messages of its session, as printed', async () => {
  const [second] = await runPrinted('chat-with-memory');
  expect(second).toContain('User: My name is Ann.');
  expect(second).toContain('User: What is my name?\nAI:');
  const [otherSession] = await run('chat-with-memory', { input_value: 'And mine?', session_id: 'ben' });
  expect(otherSession).not.toContain('Ann');
});

test('sql-questions queries the database, as printed, and cannot write', async () => {
  expect((await runPrinted('sql-questions'))[0]).toContain('ordered for the most money');
  const query = (sql: string): Promise<string[]> =>
    run('sql-questions', {
      input_value: `[[call=run_sql_query with="query=${sql}"]]`,
      session_id: randomUUID(),
    });
  const count = (customer: string): string =>
    `SELECT SUM(quantity) AS n FROM orders WHERE customer = '${customer}'`;
  expect((await query(count('Ann')))[0]).toMatch(/\b40\b/);
  expect((await query(count('Cleo')))[0]).toMatch(/\b120\b/);
  expect((await query('DELETE FROM orders'))[0]).toContain('attempt to write a readonly database');
  expect((await query(count('Ann')))[0]).toMatch(/\b40\b/);
});

describe('news-digest', () => {
  const local = (commands: string): string =>
    commands.replace('https://feeds.bbci.co.uk/news/world/rss.xml', `${fakeServices.url}/feed`);

  test('summarizes a feed and stores the digest, as printed', async () => {
    const texts = await runPrinted('news-digest', local);
    const digest = expect.stringContaining(
      '- Flood: The river rose.\n- Harvest: The barns are full.',
    ) as string;
    expect(texts).toEqual([digest, expect.stringContaining("saved successfully as 'digest.markdown'")]);
    const files = (await read('/api/v2/files/')) as { id: string; path: string }[];
    const storedFile = files.find(({ path }) => path.endsWith('/digest.markdown'));
    const headers = { 'x-api-key': system.key };
    const content = await fetch(`${system.url}/api/v2/files/${storedFile?.id ?? ''}`, { headers });
    expect(await content.text()).toEqual(digest);
  });

  test('reports a missing feed in the digest', async () => {
    const tweaks = { 'RSSReaderSimple-news1': { rss_url: `${fakeServices.url}/missing` } };
    expect((await run('news-digest', { tweaks }))[0]).toMatch(/- Error: .*404/);
  });
});

describe('order-totals', () => {
  test('adds up, as printed', async () => {
    expect(await runPrinted('order-totals')).toEqual(['2 items, 31.80 in all']);
  });

  test('names the line that cannot be read', async () => {
    const answer = run('order-totals', { input_value: '1 pencil 0.50\nmany pencils' });
    await expect(answer).rejects.toThrow('many pencils');
  });
});
