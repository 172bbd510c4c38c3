import { gatewayForTests } from '../testing/test-gateway';
import { makeTenant } from '../testing/tenant';
import type { Tenant } from '../testing/tenant';
import type { Answer } from '../testing/test-gateway';

const NFC = 'caf\u00e9';
const NFD = 'cafe\u0301';
let tenant: Tenant;
const gateway = gatewayForTests();
beforeAll(async () => {
  tenant = await makeTenant(gateway, 'tenant');
}, 60_000);

/** Texts that are known to be misinterpreted by some programs. */
const texts = [
  NFC,
  NFD,
  '😀👩‍👩‍👧',
  'שלום \u202eabc\u202c',
  '\u200b\u2060\ufeff',
  'ﷺ',
  '\u2028\u2029',
  '\u0001\u001b[31m\u007f\u0085',
  "'; DROP TABLE runs; --",
  "' OR '1'='1",
  '"; SELECT 1; "',
  '\\',
  '%',
  '_',
  '$1',
  ':name',
  '?',
  '{{constructor.constructor("return process")()}}',
  '${7*7}',
  '<%= 7*7 %>',
  '#{7*7}',
  '{0.__class__}',
  '%s%n',
  'a\r\nx-injected: 1',
  '\r\n\r\n<script>',
  '$(reboot)',
  '`reboot`',
  '| reboot',
  '; reboot',
  '../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '/etc/passwd',
  'file:///etc/passwd',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '1e999',
  '0x10',
  '-0',
  '',
  'x'.repeat(65_536),
  '😀'.repeat(16_384),
];

const shown = (text: string) => (text.length > 40 ? `${text.slice(0, 12)}… (${text.length})` : text);

/** Whether a text is refused with a client error, or accepted. */
function expectAcceptedOrRefused(answer: Answer, what: string): void {
  expect([what, answer.status >= 500, answer.headers.get('x-error-code') === 'internal']).toEqual([
    what,
    false,
    false,
  ]);
  expect(answer.headers.get('x-injected')).toBeNull();
}

describe.each(texts.map((text) => [shown(text), text]))('S10: %j', (_shown, text) => {
  test('is byte for byte in the answer and the messages of a run', async () => {
    const session = `texts ${text}`.slice(0, 2_000);
    const answer = await tenant.call('POST', '/api/v1/run/tenant-flow', {
      input_value: text,
      session_id: session,
    });
    expect(answer.status).toBe(200);
    const { session_id: given, outputs } = answer.json as {
      session_id: string;
      outputs: readonly { outputs: readonly { results: { message: { text: string } } }[] }[];
    };
    expect(given).toBe(session);
    expect(outputs[0]?.outputs[0]?.results.message.text).toBe(text);
    const query = new URLSearchParams({ session_id: session });
    const messages = (await tenant.call('GET', `/api/v1/monitor/messages?${query}`)).json as readonly {
      text: string;
    }[];
    expect(messages.map((message) => message.text)).toEqual([text, text]);
  });

  test('is stored as the name of a flow, a variable, a key and a file, or is refused', async () => {
    const flow = await tenant.call('POST', '/api/v1/flows/', { name: text, description: text, data: null });
    expectAcceptedOrRefused(flow, 'a flow');
    if (flow.status === 201) {
      const { id, name } = flow.json as { id: string; name: string };
      expect((await tenant.call('GET', `/api/v1/flows/${id}`)).json).toMatchObject({
        name,
        description: text,
      });
      expect(name.startsWith(text)).toBe(true);
    }
    const variable = await tenant.call('POST', '/api/v1/variables/', {
      name: `v${text}`,
      value: text,
      type: 'Generic',
      default_fields: [text],
    });
    expectAcceptedOrRefused(variable, 'a variable');
    if (variable.status === 201)
      expect(variable.json).toMatchObject({ name: `v${text}`, value: text, default_fields: [text] });
    expectAcceptedOrRefused(await tenant.call('POST', '/api/v1/api_key/', { name: text }), 'a key');
    const form = new FormData();
    form.set('file', new Blob([text]), text.slice(0, 500));
    const stored = await tenant.call('POST', '/api/v2/files', form);
    expectAcceptedOrRefused(stored, 'a file');
    const { path } = stored.json as { path?: string };
    // The name of a file never leads out of its user's folder.
    if (stored.status === 201) expect(path?.split('/')).toHaveLength(2);
  });

  test('is an unknown id in a path, a query and a body', async () => {
    const id = encodeURIComponent(text.slice(0, 2_000)) || 'x';
    for (const path of ['run', 'flows', 'runs', 'variables', 'webhook-events', 'files/list']) {
      const method = path === 'run' ? 'POST' : path === 'variables' ? 'DELETE' : 'GET';
      const answer = await tenant.call(method, `/api/v1/${path}/${id}`);
      expectAcceptedOrRefused(answer, path);
      expect([path, answer.status >= 400]).toEqual([path, true]);
    }
    for (const query of [
      'runs?before=',
      'runs?status=',
      'runs?limit=',
      'monitor/messages?order_by=',
      'monitor/messages?order=',
    ])
      expectAcceptedOrRefused(await tenant.call('GET', `/api/v1/${query}${id}`), query);
    const tweaks = { [text]: { [text]: text }, 'ChatInput-echo1': { [text]: text, code: text } };
    expectAcceptedOrRefused(await tenant.call('POST', '/api/v1/run/tenant-flow', { tweaks }), 'tweaks');
  });
});

test('S10: two normalization forms of one word are two names', async () => {
  const created = await Promise.all(
    [NFC, NFD].map((name) =>
      tenant.call('POST', '/api/v1/variables/', { name: `${name} twin`, value: 'v', type: 'Generic' }),
    ),
  );
  expect(created.map(({ status }) => status)).toEqual([201, 201]);
});

test.each([
  '..%2f..%2f..%2fetc%2fpasswd',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '....//....//etc/passwd',
  '..%5c..%5cx',
  '%2fetc%2fpasswd',
  '..%252f..%252fetc%252fpasswd',
  '%c0%ae%c0%ae%2fetc%2fpasswd',
  'a%00.png',
  '.',
  '..',
])('CWE-22: %s names no file', async (name) => {
  const { flow } = tenant.ids;
  for (const root of [`/api/v1/files/download/${flow}`, `/api/v1/files/images/${flow}`, '/api/v2/files']) {
    const answer = await tenant.call('GET', `${root}/${name}`);
    expectAcceptedOrRefused(answer, root);
    expect(answer.text).not.toContain('root:');
    // Clients remove segments of dots from the path, which leaves the path of the list above.
    if (!/^\.+$/.test(name)) expect([root, answer.status >= 400]).toEqual([root, true]);
  }
});

test('CWE-1336: tweaks reach no code and no protected field', async () => {
  const tweaks = {
    'ChatInput-echo1': { code: 'import os', _type: 'x' },
    code: 'import os',
    type: 'PythonREPL',
  };
  const answer = await tenant.call('POST', '/api/v1/run/tenant-flow', { input_value: 'as it was', tweaks });
  expect(answer).toMatchObject({ status: 422, json: { detail: { fields: ['code'] } } });
  expect(answer.text).not.toContain('import os');
});
