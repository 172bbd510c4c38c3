import { makeTenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';

const gateway = gatewayForTests({ environment: { MILLRACE_PYTHON: 'approved' } });
const text = {
  id: 'Mill-1',
  type: 'genericNode',
  data: {
    id: 'Mill-1',
    type: 'Mill',
    node: {
      display_name: 'Mill',
      edited: true,
      template: { code: { type: 'code', value: 'class Mill:\n    pass\n' } },
      outputs: [{ name: 'result', display_name: 'Result', method: 'build_it', types: ['Message'] }],
    },
  },
};

test('a change of a flow, and its Python texts, are those of the member who made it', async () => {
  const owner = await makeTenant(gateway, 'owner');
  const { json } = await gateway.call('POST', '/api/v1/users', { username: 'editor' });
  const editor = json as { readonly id: string; readonly api_key: string };
  await owner.call('PUT', `/api/v1/members/${owner.ids.project}/${editor.id}`, { role: 'editor' });
  const path = `/api/v1/flows/${owner.ids.flow}`;
  const state = async () => (await owner.call('GET', `${path}/version-state`)).json;
  expect(await state()).toMatchObject({ last_modified_by_username: 'owner' });
  const headers = { 'x-api-key': editor.api_key, 'x-millrace-project': owner.ids.project };
  const changed = await gateway.call('PATCH', path, { data: { nodes: [text], edges: [] } }, headers);
  expect(changed.status).toBe(200);
  expect(await state()).toMatchObject({ last_modified_by: editor.id, last_modified_by_username: 'editor' });
  const stale = { 'x-api-key': owner.key, 'if-match': owner.ids.flow };
  const conflict = await gateway.call('PATCH', path, { description: 'x' }, stale);
  expect([conflict.status, conflict.json]).toMatchObject([
    409,
    { detail: { modified_by: { id: editor.id, username: 'editor' } } },
  ]);
  const { json: texts } = await gateway.call('GET', '/api/v1/author-code?status=all');
  expect(texts).toMatchObject({ author_code: [{ component_type: 'Mill', submitted_by: editor.id }] });
  await owner.call('PATCH', path, { description: 'x' });
  expect(await state()).toMatchObject({ last_modified_by_username: 'owner' });
});
