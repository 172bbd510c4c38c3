import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { until } from '@millrace/service/testing';
import { gatewayForTests, TEST_KEY } from '../../testing/test-gateway';
import { readZip } from '../../zip/read-zip';

const UNKNOWN = '00000000-0000-4000-8000-00000000000e';
let flowId: string;

const gateway = gatewayForTests({ environment: { MILLRACE_MAXIMUM_UPLOAD_BYTES: '1000000' } });
beforeAll(async () => {
  flowId = await gateway.createFlow({ name: 'files', data: { nodes: [], edges: [] } });
}, 60_000);

function form(content: string | Uint8Array<ArrayBuffer>, name = 'a.txt', field = 'file'): FormData {
  const data = new FormData();
  data.set('note', 'another field of the form');
  data.set(field, new Blob([content]), name);
  return data;
}

describe('files of a flow', () => {
  test('are uploaded, listed, downloaded and deleted', async () => {
    const stored = await gateway.call('POST', `/api/v1/files/upload/${flowId}`, form('hello', 'Größe.txt'));
    expect(stored.status).toBe(201);
    const { file_path: path } = stored.json as { file_path: string };
    expect(path).toMatch(new RegExp(`^${flowId}/\\d{4}-\\d\\d-\\d\\d_\\d\\d-\\d\\d-\\d\\d_Größe\\.txt$`));
    const name = path.slice(37);
    expect((await gateway.call('GET', `/api/v1/files/list/${flowId}`)).json).toEqual({ files: [name] });
    const content = await gateway.call('GET', `/api/v1/files/download/${encodeURI(path)}`);
    expect([content.text, content.headers.get('content-type')]).toEqual([
      'hello',
      'application/octet-stream',
    ]);
    expect(content.headers.get('content-disposition')).toMatch(
      /^attachment; filename="[\d_-]+_Gr\?\?e\.txt"; filename\*=UTF-8''[\d_-]+_Gr%C3%B6%C3%9Fe\.txt$/,
    );
    const remove = () => gateway.call('DELETE', `/api/v1/files/delete/${encodeURI(path)}`);
    expect((await remove()).json).toEqual({ message: `File ${name} deleted successfully` });
    expect((await remove()).json).toEqual({ message: `File ${name} deleted successfully` });
    expect((await gateway.call('GET', `/api/v1/files/download/${encodeURI(path)}`)).status).toBe(404);
  });

  test('are uploaded at the former path, under the last part of their name', async () => {
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="../x/part.txt"';
    const answer = await gateway.call('POST', `/api/v1/upload/${flowId}`, `${head}\r\n\r\nx\r\n--b--`, {
      'content-type': 'multipart/form-data; boundary=b',
    });
    expect(answer).toMatchObject({ status: 201, json: { flowId } });
    const { file_path: path } = answer.json as { file_path: string };
    expect(path).toMatch(/^[^/]+\/[\d_-]+_part\.txt$/);
    await gateway.call('DELETE', `/api/v1/files/delete/${path}`);
  });

  test.each(['..%5Csecret.txt', '..txt', 'C%3A%5Cx.txt', 'x..y.txt'])(
    'have no name that is a path: %s',
    async (name) => {
      for (const [method, route] of [
        ['GET', 'download'],
        ['GET', 'images'],
        ['DELETE', 'delete'],
      ] as const) {
        const answer = await gateway.call(method, `/api/v1/files/${route}/${flowId}/${name}`);
        expect([answer.status, answer.json]).toEqual([
          400,
          { detail: "Invalid file name. Use a simple file name without directory paths or '..'." },
        ]);
      }
    },
  );

  test('are shown when they are images', async () => {
    const answers = new Map<string, Response>();
    for (const name of ['dot.PNG', 'page.html']) {
      const stored = await gateway.call('POST', `/api/v1/files/upload/${flowId}`, form('bytes', name));
      const { file_path: path } = stored.json as { file_path: string };
      const url = `${gateway.url}/api/v1/files/images/${path}`;
      answers.set(name, await fetch(url, { headers: { 'x-api-key': TEST_KEY } }));
      expect((await fetch(url)).status).toBe(403);
      await gateway.call('DELETE', `/api/v1/files/delete/${path}`);
    }
    const shown = answers.get('dot.PNG');
    expect([shown?.status, await shown?.text(), shown?.headers.get('content-type')]).toEqual([
      200,
      'bytes',
      'image/png',
    ]);
    expect(shown?.headers.get('content-security-policy')).toContain('sandbox');
    expect(shown?.headers.get('content-disposition')).toBe('attachment');
    expect(answers.get('page.html')?.status).toBe(400);
    expect((await gateway.call('GET', `/api/v1/files/images/${flowId}/none.png`)).status).toBe(404);
  });

  test('can have names with two points in a row', async () => {
    const stored = await gateway.call('POST', `/api/v1/files/upload/${flowId}`, form('dots', 'x..y.txt'));
    const { file_path: path } = stored.json as { file_path: string };
    expect((await gateway.call('GET', `/api/v1/files/download/${path}`)).text).toBe('dots');
    expect((await gateway.call('DELETE', `/api/v1/files/delete/${path}`)).status).toBe(200);
  });

  test("are refused for another user's flow", async () => {
    const upload = await gateway.call('POST', `/api/v1/files/upload/${UNKNOWN}`, form('x'));
    expect([upload.status, upload.json]).toEqual([404, { detail: 'Flow not found' }]);
    expect((await gateway.call('GET', `/api/v1/files/list/${UNKNOWN}`)).status).toBe(404);
    expect((await gateway.call('GET', '/api/v1/files/list/no-uuid')).status).toBe(422);
  });
});

describe('files of a user', () => {
  test('are uploaded, listed, renamed, downloaded and deleted', async () => {
    const stored = await gateway.call('POST', '/api/v2/files', form('v2 body', 'one.txt'));
    expect(stored.json).toEqual({
      id: expect.any(String),
      name: 'one',
      path: `${gateway.user.id}/one.txt`,
      size: 7,
      provider: null,
    });
    const again = await gateway.call('POST', '/api/v2/files/', form('other', 'one.txt'));
    expect((again.json as { name: string }).name).toBe('one (1)');
    const hidden = await gateway.call('POST', '/api/v2/files/', form('x', '.hidden'));
    expect(hidden.json).toMatchObject({ name: ' (2)', path: `${gateway.user.id}/ (2).hidden` });
    await gateway.call('DELETE', `/api/v2/files/${(hidden.json as { id: string }).id}`);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z$/) as unknown;
    const listed = { created_at: time, updated_at: time };
    expect((await gateway.call('GET', '/api/v2/files')).json).toEqual([
      expect.objectContaining(listed),
      expect.objectContaining(listed),
    ]);
    const { id } = stored.json as { id: string };
    expect((await gateway.call('GET', `/api/v2/files/${id}`)).text).toBe('v2 body');
    const text = await gateway.call('GET', `/api/v2/files/${id}?return_content=true`);
    expect([text.json, text.headers.get('content-type')]).toEqual(['v2 body', 'application/json']);
    expect((await gateway.call('GET', `/api/v2/files/${id}?return_content=x`)).status).toBe(422);
    const renamed = await gateway.call('PUT', `/api/v2/files/${id}?name=two`);
    expect(renamed.json).toMatchObject({ name: 'two', path: `${gateway.user.id}/one.txt` });
    expect((await gateway.call('PUT', `/api/v2/files/${id}`)).status).toBe(422);
    expect((await gateway.call('DELETE', `/api/v2/files/${id}`)).json).toEqual({
      detail: 'File two deleted successfully',
    });
    expect((await gateway.call('GET', `/api/v2/files/${id}`)).json).toEqual({ detail: 'File not found' });
    // Another file has the name of the first one.
    for (const count of [1, 0])
      expect(await gateway.call('DELETE', '/api/v2/files')).toMatchObject({
        status: 200,
        json: { message: `All ${count} files deleted successfully` },
      });
    expect((await gateway.call('GET', '/api/v2/files/')).json).toEqual([]);
  });

  test('come in one archive, and are deleted together', async () => {
    const upload = async (name: string) =>
      ((await gateway.call('POST', '/api/v2/files', form(`content of ${name}`, name))).json as { id: string })
        .id;
    const ids = [await upload('first.txt'), await upload('second.txt'), UNKNOWN];
    const kept = await upload('third.txt');
    const archive = await fetch(`${gateway.url}/api/v2/files/batch/`, {
      method: 'POST',
      headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
      body: JSON.stringify(ids),
    });
    expect(archive.headers.get('content-disposition')).toMatch(/filename="\d{8}_\d{6}_langflow_files\.zip"/);
    const members = readZip(
      Buffer.from(await archive.arrayBuffer()),
      { maximumMembers: 10, maximumBytes: 1_000 },
      () => true,
    );
    expect(members.map(({ name, content }) => [name, content.toString()])).toEqual([
      ['first.txt', 'content of first.txt'],
      ['second.txt', 'content of second.txt'],
    ]);
    const remove = () => gateway.call('DELETE', '/api/v2/files/batch/', ids);
    expect((await remove()).json).toEqual({ message: '2 files deleted successfully' });
    expect(await remove()).toMatchObject({ status: 404, json: { detail: 'No files found' } });
    expect((await gateway.call('GET', '/api/v2/files')).json).toMatchObject([{ id: kept }]);
    await gateway.call('DELETE', `/api/v2/files/${kept}`);
  });

  test.each(['../../etc/passwd', '..\\\\x.txt', '/etc/passwd', 'a/b.txt', 'x..y.txt', 'cod\u202eexe.txt'])(
    'have no name that could be read as another one: %j',
    async (name) => {
      const head = `--b\r\ncontent-disposition: form-data; name="file"; filename="${name}"`;
      const answer = await gateway.call('POST', '/api/v2/files/', `${head}\r\n\r\nx\r\n--b--`, {
        'content-type': 'multipart/form-data; boundary=b',
      });
      expect([answer.status, answer.json]).toEqual([
        400,
        {
          detail: "Invalid file name: paths, '..', NUL, CR/LF, and unsafe Unicode formatting are forbidden.",
        },
      ]);
    },
  );

  test.each([
    ['x'.repeat(252) + '.txt', 'File name is too long. Maximum 255 bytes allowed.'],
    ['nul.txt', "Invalid file name. 'nul.txt' is a reserved system name."],
    ['.', 'Invalid file name after sanitization'],
  ])('have no name that other systems cannot have: %j', async (name, detail) => {
    expect(await gateway.call('POST', '/api/v2/files', form('x', name))).toMatchObject({
      status: 400,
      json: { detail },
    });
    const stored = await gateway.call('POST', '/api/v2/files', form('x', 'fine.txt'));
    const { id } = stored.json as { id: string };
    const renamed = await gateway.call('PUT', `/api/v2/files/${id}?name=${encodeURIComponent(name)}`);
    expect([renamed.status, renamed.json]).toEqual([400, { detail }]);
    await gateway.call('DELETE', `/api/v2/files/${id}`);
  });

  test('can be as large as the limit, but no larger', async () => {
    const whole = new Uint8Array(randomBytes(1_000_000));
    const stored = await gateway.call('POST', '/api/v2/files', form(whole, 'whole.bin'));
    const { id, size } = stored.json as { id: string; size: number };
    expect(size).toBe(1_000_000);
    const back = await fetch(`${gateway.url}/api/v2/files/${id}`, { headers: { 'x-api-key': TEST_KEY } });
    expect(Buffer.from(await back.arrayBuffer()).equals(Buffer.from(whole))).toBe(true);
    for (const bytes of [1_000_001, 3_000_000]) {
      const refused = await gateway.call('POST', '/api/v2/files', form(new Uint8Array(bytes), 'large.bin'));
      expect([refused.status, refused.headers.get('x-error-code')]).toEqual([413, 'body_too_large']);
    }
    expect((await gateway.call('GET', '/api/v2/files')).json).toHaveLength(1);
  });

  test('a body that is not a form, or a form without a file, gets an error that names the missing part', async () => {
    const fault = {
      detail: [{ type: 'missing', loc: ['body', 'file'], msg: 'Field required' }],
    };
    for (const body of [form('x', 'a.txt', 'other'), '{}', undefined]) {
      const answer = await gateway.call('POST', '/api/v2/files', body);
      expect([answer.status, answer.json]).toEqual([422, fault]);
    }
    const broken = { 'content-type': 'multipart/form-data; boundary=b' };
    const cut = '--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\nhalf';
    expect((await gateway.call('POST', '/api/v2/files', cut, broken)).status).toBe(400);
    expect(
      (await gateway.call('POST', '/api/v2/files', 'x', { 'content-type': 'multipart/form-data' })).status,
    ).toBe(400);
  });

  test('a form that is truncated anywhere is answered, and only a complete one is stored', async () => {
    const before = (await gateway.call('GET', '/api/v2/files')).json as readonly unknown[];
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const part = (disposition: string, content: string) =>
      `--b\r\ncontent-disposition: form-data${disposition}\r\n\r\n${content}\r\n`;
    const whole = `${part('; name="note"', 'n')}${part('', 'nameless')}${part('; name="file"; filename="cut.txt"', 'x')}--b--`;
    const statuses = new Map<number, number>();
    for (let length = 1; length < whole.length; length += 1) {
      const { status } = await gateway.call('POST', '/api/v2/files', whole.slice(0, length), headers);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses.keys()]).toEqual([400]);
    const many = `${part('; name="note"', 'n').repeat(200)}${whole}`;
    expect((await gateway.call('POST', '/api/v2/files', many, headers)).status).toBe(422);
    expect((await gateway.call('GET', '/api/v2/files')).json).toEqual(before);
    expect((await gateway.call('POST', '/api/v2/files', whole, headers)).json).toMatchObject({ name: 'cut' });
  });

  test('an upload is not stored when its sender disconnects', async () => {
    const before = (await gateway.call('GET', '/api/v2/files')).json as readonly unknown[];
    const socket = connect(gateway.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /api/v2/files HTTP/1.1\r\nhost: a\r\nx-api-key: ${TEST_KEY}\r\ncontent-length: 900000\r\n` +
        'content-type: multipart/form-data; boundary=b\r\n\r\n' +
        `--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n${'x'.repeat(400_000)}`,
    );
    const rows = async () => (await gateway.database.query({ text: 'SELECT complete FROM files' })).rows;
    await until(async () => (await rows()).length > before.length);
    socket.destroy();
    await until(async () => (await rows()).length === before.length);
    expect((await gateway.call('GET', '/api/v2/files')).json).toEqual(before);
  });
});

test('a sender with a slow body is disconnected', async () => {
  const socket = connect(gateway.port, '127.0.0.1');
  let received = '';
  socket.on('error', () => undefined).on('data', (bytes) => (received += bytes.toString()));
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.write(`POST /api/v1/run/x HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n`);
  const sendSlowly = setInterval(() => socket.write('x'), 500);
  await closed;
  clearInterval(sendSlowly);
  expect(received).toContain('408');
});
