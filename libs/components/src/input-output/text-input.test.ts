import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

test.each(['TextInput', 'TextInputComponent'])(
  '%s returns its text, with a backslash and n as a newline',
  async (type) => {
    const document = flow(
      [node('TextInput-a', type, { input_value: 'one\\ntwo' }), node('ChatOutput-z', 'ChatOutput')],
      [edge('TextInput-a', 'text', 'ChatOutput-z', 'input_value')],
    );
    expect((await runFlow(document)).text).toBe('one\ntwo');
  },
);

test('a variable fills a visible empty text field of its display name, after the tweaks', async () => {
  const filled = async (field: object, tweak?: unknown): Promise<unknown> => {
    const base = node('TextInput-t', 'TextInput', { input_value: '' }) as {
      data: { node: { template: Record<string, object> } };
    };
    const { template } = base.data.node;
    template['input_value'] = { ...template['input_value'], type: 'str', display_name: 'Customer', ...field };
    const { text } = await runFlow(flow([base]), {
      variables: { CUSTOMER: 'Acme', OTHER: 'other' },
      fieldVariables: { Customer: 'CUSTOMER' },
      ...(tweak !== undefined && { tweaks: { 'TextInput-t': { input_value: tweak as string } } }),
      show: 'TextInput-t',
    });
    return text;
  };
  expect(await filled({})).toBe('Acme');
  expect(await filled({ value: 'saved' })).toBe('saved');
  expect(await filled({ value: 'saved' }, '')).toBe('Acme');
  expect(await filled({}, 'tweaked')).toBe('tweaked');
  expect(await filled({ value: 'OTHER', load_from_db: true })).toBe('other');
  expect(await filled({ display_name: 'Client' })).toBe('');
  expect(await filled({ show: false })).toBe('');
});
