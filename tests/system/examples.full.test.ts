import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forAllTests } from '@millrace/testing';
import { startExamples } from './running-examples';

const examples = forAllTests(startExamples);

describe('order-alert', () => {
  const order = (quantity: number): string =>
    JSON.stringify({ customer: 'Ben', quantity, product: 'pencils' });

  test('sends an alert for a large order, as printed', async () => {
    expect(await examples.runPrinted('order-alert')).toEqual(['The alert was answered with status 202.']);
  });

  test('as a webhook, sends alerts to the address in a variable, and none for small orders', async () => {
    await examples.send('/variables/', {
      name: 'ALERT_URL',
      value: `${examples.fakeServices.url}/alerts`,
      type: 'Generic',
    });
    expect(await examples.webhook('order-alert', order(100))).toMatchObject({ status: 'succeeded' });
    expect(examples.fakeServices.alerts).toEqual([]);
    expect(await examples.webhook('order-alert', order(101))).toMatchObject({ status: 'succeeded' });
    expect(examples.fakeServices.alerts).toEqual([{ text: 'Large order from Ben: 101 pencils' }]);
  });

  test('reports the error status of the alert receiver', async () => {
    const tweaks = {
      'Webhook-alert1': { data: order(200) },
      'APIRequest-alert6': { url_input: examples.fakeServices.url },
    };
    expect(await examples.run('order-alert', { tweaks })).toEqual([
      'The alert was answered with status 404.',
    ]);
  });
});

describe('file-ingest and file-questions', () => {
  test('answer from a stored file, as printed', async () => {
    const [answer] = await examples.runPrinted('file-ingest');
    const parts = /not answer it\.\n\n(.*)\n\nQuestion: What does the 202 of a webhook mean\?$/s.exec(
      answer ?? '',
    );
    const pieces = parts?.[1]?.split('\n---\n') ?? [];
    expect(pieces).toHaveLength(4);
    const whole = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');
    for (const piece of pieces) expect(whole).toContain(piece);
  });

  test('the piece that fits best comes first', async () => {
    const pieces = ['Overshot wheels need height.', 'Undershot wheels need flow.'];
    await examples.upload('wheels.txt', pieces.join('\n\n'));
    const tweaks = { 'File-ingest1': { path: ['wheels.txt'] }, 'SplitText-ingest2': { chunk_size: 30 } };
    expect(await examples.run('file-ingest', { tweaks })).toEqual([pieces.join('\n---\n')]);
    for (const [piece = '', other] of [pieces, [...pieces].reverse()]) {
      const one = { 'LocalDB-ask3': { number_of_results: 1 } };
      const [answer] = await examples.run('file-questions', { input_value: piece, tweaks: one });
      expect(answer).toContain(`\n\n${piece}\n\nQuestion: ${piece}`);
      expect(answer).not.toContain(other);
    }
  });

  test('report a missing file, and an empty list of files', async () => {
    const tweaks = { 'File-ingest1': { path: ['nowhere.txt'] } };
    await expect(examples.run('file-ingest', { tweaks })).rejects.toThrow("File not found: 'nowhere.txt'");
    await expect(examples.run('file-ingest', {})).rejects.toThrow('No files to process');
  });
});

describe('agent-with-tools', () => {
  // Use a new session each time, because earlier messages of a session are sent again.
  const ask = (input_value: string): Promise<string[]> =>
    examples.run('agent-with-tools', { input_value, session_id: randomUUID() });

  test('answers a question, as printed', async () => {
    expect((await examples.runPrinted('agent-with-tools'))[0]).toContain('17.5');
  });

  test('computes, reads a page and knows the date', async () => {
    expect(await ask('[[call=evaluate_expression with="expression=6*7"]]')).toEqual([
      expect.stringContaining('42'),
    ]);
    expect(await ask('[[call=evaluate_expression with="expression=6*9"]]')).toEqual([
      expect.stringContaining('54'),
    ]);
    expect(await ask(`${examples.fakeServices.url}/page [[call=fetch_content]]`)).toEqual([
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
    expect(await examples.runPrinted('review-labels')).toEqual([
      'works very well.: 1\nbroke after a day.: 1',
      'Works very well.: Works very well.\nBroke after a day.: Broke after a day.',
    ]);
  });

  test('counts the labels of another file', async () => {
    const path = await examples.upload(
      'more.csv',
      'review\nA [[reply=Positive]]\nB [[reply=negative]]\nC [[reply=positive]]\n',
    );
    const [counts] = await examples.run('review-labels', { tweaks: { 'File-label1': { path: [path] } } });
    expect(counts).toBe('positive: 2\nnegative: 1');
  });

  test('refuses a table without the column', async () => {
    const path = await examples.upload('other.csv', 'opinion\nGood\n');
    const answer = examples.run('review-labels', { tweaks: { 'File-label1': { path: [path] } } });
    await expect(answer).rejects.toThrow("Column 'review' not found in the DataFrame");
  });
});

describe('line-by-line', () => {
  test('asks about each line, as printed', async () => {
    expect(await examples.runPrinted('line-by-line')).toEqual([
      'Translate into French: Good morning.\nTranslate into French: The mill is closed today.',
    ]);
  });

  test('ends the run when a line fails', async () => {
    const answer = examples.run('line-by-line', { input_value: 'one\ntwo [[status=400]]\nthree' });
    await expect(answer).rejects.toThrow('Error building Component Language Model');
  });
});

describe('contact-extraction and contact-note', () => {
  test('return the fields of the schema, as printed', async () => {
    const [text = ''] = await examples.runPrinted('contact-extraction');
    const contact = JSON.parse(text.replace(/^```json|```$/g, '')) as Record<string, unknown>;
    expect(Object.keys(contact).sort()).toEqual(['email', 'name', 'request', 'seats']);
    expect(contact).toMatchObject({ seats: 12, name: expect.stringContaining('Ann Miller') as string });
  });

  test('the note contains the result of the other flow, as printed', async () => {
    const [note] = await examples.runPrinted('contact-note');
    expect(note).toMatch(/^New contact, to be called today\.\n/);
    expect(note).toMatch(/"seats": 30/);
  });

  test('the note fails without the flow that it runs', async () => {
    const tweaks = { 'RunFlow-note2': { flow_name_selected: 'Missing flow' } };
    const answer = examples.run('contact-note', { input_value: 'Hello', tweaks });
    await expect(answer).rejects.toThrow('Flow not found');
  });
});

describe('support-triage', () => {
  test('a message that fits no team goes to a colleague, as printed', async () => {
    expect(await examples.runPrinted('support-triage')).toEqual([
      'A colleague will read this and call you back. You wrote: I was charged twice in May.',
    ]);
  });

  test.each([
    ['Billing', 'Our billing team answers'],
    ['Technical', 'Our engineers look into it'],
    ['Account', 'We have sent you a link'],
  ])('routes %s to its own answer only', async (team, answer) => {
    const texts = await examples.run('support-triage', { input_value: `Help! [[reply=${team}]]` });
    expect(texts).toEqual([expect.stringMatching(`^${answer}.* Help!`)]);
  });
});

test('chat-with-memory remembers only messages of its session, as printed', async () => {
  const [second] = await examples.runPrinted('chat-with-memory');
  expect(second).toContain('User: My name is Ann.');
  expect(second).toContain('User: What is my name?\nAI:');
  const [otherSession] = await examples.run('chat-with-memory', {
    input_value: 'And mine?',
    session_id: 'ben',
  });
  expect(otherSession).not.toContain('Ann');
});

test('sql-questions queries the database, as printed, and cannot write', async () => {
  expect((await examples.runPrinted('sql-questions'))[0]).toContain('ordered for the most money');
  const query = (sql: string): Promise<string[]> =>
    examples.run('sql-questions', {
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
    commands.replace('https://feeds.bbci.co.uk/news/world/rss.xml', `${examples.fakeServices.url}/feed`);

  test('summarizes a feed and stores the digest, as printed', async () => {
    const texts = await examples.runPrinted('news-digest', local);
    const digest = expect.stringContaining(
      '- Flood: The river rose.\n- Harvest: The barns are full.',
    ) as string;
    expect(texts).toEqual([digest, expect.stringContaining("saved successfully as 'digest.markdown'")]);
    const files = (await examples.read('/api/v2/files/')) as { id: string; path: string }[];
    const storedFile = files.find(({ path }) => path.endsWith('/digest.markdown'));
    const headers = { 'x-api-key': examples.key };
    const content = await fetch(`${examples.url}/api/v2/files/${storedFile?.id ?? ''}`, { headers });
    expect(await content.text()).toEqual(digest);
  });

  test('reports a missing feed in the digest', async () => {
    const tweaks = { 'RSSReaderSimple-news1': { rss_url: `${examples.fakeServices.url}/missing` } };
    expect((await examples.run('news-digest', { tweaks }))[0]).toMatch(/- Error: .*404/);
  });
});

describe('order-totals', () => {
  test('adds up, as printed', async () => {
    expect(await examples.runPrinted('order-totals')).toEqual(['2 items, 31.80 in all']);
  });

  test('names the line that cannot be read', async () => {
    const answer = examples.run('order-totals', { input_value: '1 pencil 0.50\nmany pencils' });
    await expect(answer).rejects.toThrow('many pencils');
  });
});
