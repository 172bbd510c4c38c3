import { gatewayForTests, TEST_KEY } from '../../testing/test-gateway';
import { readExport } from './export-flows';
import { readZip } from '../../zip/read-zip';
import { writeZip } from '../../zip/write-zip';

interface FlowView {
  readonly name: string;
}

const nothing = { nodes: [], edges: [] };

const gateway = gatewayForTests();

describe('files of flows', () => {
  test('an upload accepts one export, a list, or an object with flows, as a form or as the body', async () => {
    const form = new FormData();
    const file = JSON.stringify({
      flows: [
        { name: 'l1', data: nothing },
        { name: 'l2', data: nothing },
      ],
    });
    form.append('file', new Blob([file], { type: 'application/json' }), 'flows.json');
    const uploaded = await gateway.call('POST', '/api/v1/flows/upload/', form);
    expect(uploaded).toMatchObject({ status: 201, json: [{ name: 'l1' }, { name: 'l2' }] });
    expect(
      await gateway.call('POST', '/api/v1/flows/upload/', { name: 'plain', data: nothing }),
    ).toMatchObject({
      status: 201,
      json: [{ name: 'plain', report: { problems: [] } }],
    });
    expect(await gateway.call('POST', '/api/v1/flows/batch/', { flows: [{ name: 'b1' }] })).toMatchObject({
      status: 201,
      json: [{ name: 'b1' }],
    });
  });

  const upload = (content: string | Uint8Array<ArrayBuffer>) => {
    const form = new FormData();
    form.append('file', new Blob([content]), 'flows.json');
    return gateway.call('POST', '/api/v1/flows/upload/', form);
  };

  test.each([
    ['', 400, 'The uploaded file is empty'],
    ['{oops', 400, 'Invalid JSON file: Expecting property name enclosed in double quotes (char 1)'],
    ['{"flows": "oops"}', 422, "Invalid JSON: 'flows' must be a list of flow objects"],
    ['{"flows": [{"name": "x"}, 42]}', 422, 'Invalid JSON: flows[1] is not an object'],
  ])('the file %j is refused', async (content, status, detail) => {
    expect(await upload(content)).toMatchObject({ status, json: { detail } });
  });

  test('an upload without a file, or of no flow, is refused', async () => {
    for (const body of [undefined, new FormData()])
      expect(await gateway.call('POST', '/api/v1/flows/upload/', body)).toMatchObject({
        status: 400,
        json: { detail: 'No file provided' },
      });
    expect((await gateway.call('POST', '/api/v1/flows/upload/', { no: 'flow' })).status).toBe(422);
  });

  test('files of an archive that are no JSON are left out, and an archive without others is refused', async () => {
    const member = (name: string, content: string) => ({ name, content: Buffer.from(content) });
    const broken = member('broken.json', '{not json');
    const valid = member('valid.json', JSON.stringify({ name: 'valid of two', data: nothing }));
    expect(await upload(new Uint8Array(writeZip([broken, valid])))).toMatchObject({
      status: 201,
      json: [{ name: 'valid of two' }],
    });
    for (const members of [[broken], [member('readme.txt', 'x')]])
      expect(await upload(new Uint8Array(writeZip(members)))).toMatchObject({
        status: 400,
        json: { detail: 'No valid flow JSON files found in the ZIP' },
      });
  });

  test('an export is that of Langflow 1.13: code by lines, and nothing of this system or of an open editor', async () => {
    const fields = {
      code: { type: 'code', value: 'x = 1\n\ny = 2' },
      other: { type: 'str', multiline: true, value: 'a\nb' },
      key: { password: true, value: 'sk-secret' },
    };
    const node = (template: unknown) => ({ id: 'a', data: { type: 'Mine', node: { template } } });
    const open = { selected: true, dragging: false, positionAbsolute: { x: 1, y: 2 } };
    const data = { nodes: [{ ...node(fields), ...open, width: 3 }], edges: [] };
    const body = { name: 'exported', data, gradient: '1', access_type: 'PUBLIC', tags: ['b', 'a'] };
    const { json: created } = await gateway.call('POST', '/api/v1/flows/', body);
    const { id } = created as unknown as { readonly id: string };
    const { json: exported } = await gateway.call('POST', '/api/v1/flows/download/', [id]);
    const split = { ...fields, code: { ...fields.code, value: ['x = 1', '', 'y = 2'] } };
    expect(exported).toEqual({
      id,
      name: 'exported',
      description: null,
      endpoint_name: null,
      data: { nodes: [{ ...node({ ...split, key: { password: true, value: null } }), width: 3 }], edges: [] },
      is_component: false,
      webhook: false,
      icon: null,
      icon_bg_color: null,
      tags: ['b', 'a'],
      locked: false,
      mcp_enabled: false,
      action_name: null,
      action_description: null,
      flow_type: 'workflow',
      a2a_enabled: false,
      a2a_card_overrides: null,
      workspace_id: null,
      name_key: null,
      version_token: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const { json: again } = await gateway.call('POST', '/api/v1/flows/', {
      ...(exported as object),
      id: null,
    });
    expect((again as unknown as typeof body).data.nodes[0]).toMatchObject(node({ code: fields.code }));
  });

  test('code that an export has as lines becomes one text', async () => {
    const field = (value: unknown) => ({
      code: { type: 'code', value },
      other: { type: 'str', value: ['a', 'b'] },
    });
    const data = (value: unknown) => ({
      nodes: [{ id: 'a', data: { type: 'Mine', node: { template: field(value) } } }, { id: 'n' }],
      edges: [],
    });
    const uploaded = await upload(JSON.stringify({ name: 'lines', data: data(['x = 1', '', 'y = 2']) }));
    expect(uploaded).toMatchObject({ status: 201, json: [{ data: data('x = 1\n\ny = 2') }] });
  });

  test('a download can be uploaded again and contains no secrets', async () => {
    const template = {
      key: { password: true, value: 'sk-secret' },
      named: { password: true, load_from_db: true, value: 'NAME' },
    };
    const data = { nodes: [{ id: 'a', data: { type: 'ChatInput', node: { template } } }], edges: [] };
    const id = await gateway.createFlow({ name: 'secretive', data });
    const one = await gateway.call('POST', '/api/v1/flows/download/', [id]);
    expect(one.text).not.toContain('sk-secret');
    expect(one.text).toContain('NAME');
    expect((await upload(one.text)).status).toBe(201);
  });

  test('a flow that is named twice is downloaded once, and flows that are too large together are refused', async () => {
    const id = await gateway.createFlow({ name: 'named twice', data: nothing });
    expect(
      (await gateway.call('POST', '/api/v1/flows/download/', [id, id.toUpperCase()])).json,
    ).toMatchObject({
      id,
    });
    const find = (name: string) => Promise.resolve({ name, data: 'x'.repeat(33_554_432) });
    await expect(readExport(['a', 'b', 'c'], find)).rejects.toMatchObject({ code: 'invalid_value' });
    expect(await readExport(['a', 'a'], find)).toMatchObject({ members: [{ name: 'a.json' }] });
  });

  test('several flows are downloaded as an archive, which can be uploaded again', async () => {
    const ids = [
      await gateway.createFlow({
        name: 'in a/folder',
        data: { edges: [], nodes: [], b: [{ d: 1, c: [2] }] },
      }),
      await gateway.createFlow({ name: 'by itself', data: nothing }),
      await gateway.createFlow({ name: 'In a:folder', data: nothing }),
    ];
    const answer = await fetch(`${gateway.url}/api/v1/flows/download/`, {
      method: 'POST',
      headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
      body: JSON.stringify(ids),
    });
    expect(answer.headers.get('content-type')).toBe('application/x-zip-compressed');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="\d{8}_\d{6}_langflow_flows\.zip"; filename\*=UTF-8''/,
    );
    const archive = await answer.arrayBuffer();
    const names = readZip(Buffer.from(archive), { maximumMembers: 9, maximumBytes: 1e6 }, () => true);
    expect(names.map(({ name }) => name)).toEqual([
      'in a_folder.json',
      'by itself.json',
      'In a_folder 3.json',
    ]);
    // Equal flows have equal archives, whatever the order of their members.
    expect(names[0]?.content.toString()).toMatch(
      /^\{\n {2}"a2a_card_overrides": null,[^]*"b": \[\n +\{\n +"c": \[\n +2\n +\],\n +"d": 1\n[^]*"workspace_id": null\n\}$/,
    );
    const form = new FormData();
    form.append('file', new Blob([archive]), 'flows.zip');
    const uploaded = await gateway.call('POST', '/api/v1/flows/upload/', form);
    expect((uploaded.json as FlowView[]).map(({ name }) => name)).toEqual([
      'in a/folder (1)',
      'by itself (1)',
      'In a:folder (1)',
    ]);
    const broken = new FormData();
    broken.append('file', new Blob([archive.slice(0, 100)]), 'flows.zip');
    const refused = await gateway.call('POST', '/api/v1/flows/upload/', broken);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([400, 'invalid_value']);
  });
});
