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
