import { defineComponent, handle } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { show } from './testing/author-component.fixture';
import { given, giving, openAuthorSuite, shownOf, tokensOf } from './testing/author-suite.fixture';
import { give } from './testing/python-flow.fixture';

const { author, run, valueAt, failureOf } = openAuthorSuite();
const fromGiven = 'Given-1.value';

describe('messages', () => {
  test('keep their fields when a component changes the text', async () => {
    const { shown } = await run(
      [given, author('message_stamp', { from: { message: fromGiven } }), show('MessageStamp-1.stamped')],
      giving(new Message({ text: 'hi', sender: 'User', senderName: 'Ann', files: ['a/b.txt'] })),
    );
    const { text, fields } = shown.get('Show-1') as Message;
    expect(text).toBe('[Ann] hi');
    expect(fields).toMatchObject({
      sender: 'User',
      files: ['a/b.txt'],
      contentBlocks: [],
      properties: { icon: 'stamp', source: { id: 'MessageStamp-1', display_name: 'Stamp', source: 'stamp' } },
      extra: { stamped_by: 'MessageStamp' },
    });
  });

  test('have the text of their last change, on either side', async () => {
    const vertices = [
      given,
      author('message_stamp', { from: { message: fromGiven } }),
      { id: 'Rewrite-1', from: { value: 'MessageStamp-1.stamped' } },
      author('message_stamp', { number: 2, from: { message: 'Rewrite-1.value' } }),
    ];
    const components = [
      give('Given', new Message({ text: 'one', sender: 'User', senderName: 'Ann' })),
      defineComponent({
        type: 'Rewrite',
        displayName: 'Rewrite',
        description: 'Changes the text of a message.',
        inputs: { value: handle() },
        outputs: { value: { types: ['Message'] } },
        deterministic: true,
        run: ({ value }) => ({ value: (value as Message).with({ text: 'two' }) }),
      }),
    ];
    const value = await valueAt('MessageStamp-2.stamped', vertices, { components });
    expect(value).toEqual({ text: '[Ann] two' });
  });

  test('have content blocks in the form of the API', async () => {
    const { shown } = await run([author('content_blocks'), show('ContentBlocks-1.message')]);
    const { fields } = shown.get('Show-1') as Message;
    expect(fields.contentBlocks).toEqual([
      {
        title: 'Steps',
        contents: [
          { type: 'text', duration: null, header: {}, text: 'thinking' },
          { type: 'code', duration: null, header: {}, code: '1 + 1', language: 'python', title: null },
          {
            type: 'tool_use',
            duration: null,
            header: {},
            name: 'add',
            tool_input: { a: 1 },
            output: 2,
            error: null,
          },
        ],
        allow_markdown: true,
        media_url: null,
      },
    ]);
  });

  test('of the session are stored and read', async () => {
    const outcome = await run(
      [author('session_messages', { fields: { text: 'Hi' } }), show('SessionMessages-1.table')],
      { history: [new Message({ text: 'old', sender: 'User', senderName: 'Ann' })] },
    );
    expect(shownOf(outcome)['Show-1']).toEqual({
      rows: [
        { text: 'old', name: 'Ann' },
        { text: 'Hi', name: 'Ann' },
        { text: 'Hello Ann', name: 'Bot' },
        { text: 'Hello Ann', name: 'Bot' },
      ],
    });
    expect(outcome.stored.map(({ text, fields }) => [text, fields.senderName, fields.sessionId])).toEqual([
      ['Hi', 'Ann', 'session-1'],
      ['Hello Ann', 'Bot', 'session-1'],
    ]);
  });

  test('of the session are formatted by helpers of Langflow', async () => {
    const history = [
      new Message({ text: 'one', sender: 'User', senderName: 'Ann' }),
      new Message({ text: 'two', sender: 'Machine', senderName: 'AI' }),
    ];
    expect(await valueAt('HistoryText-1.text', [author('history_text')], { history })).toEqual({
      text: 'Ann: one\nAI: two',
    });
  });

  test('of a component without a chat output are neither stored nor streamed', async () => {
    const outcome = await run([author('token_stream'), show('TokenStream-1.message')]);
    expect([outcome.stored, tokensOf(outcome)]).toEqual([[], []]);
    expect(shownOf(outcome)['Show-1']).toEqual({ text: 'one two three' });
  });

  test('of a component with a chat output are streamed', async () => {
    const outcome = await run([
      author('token_stream'),
      { id: 'ChatOutput-1', from: { input_value: 'TokenStream-1.message' } },
    ]);
    expect(tokensOf(outcome)).toEqual(['one ', 'two ', 'three ']);
  });

  test('that a component sends are in the session once', async () => {
    const outcome = await run([
      author('progress_sender'),
      { id: 'ChatOutput-1', from: { input_value: 'ProgressSender-1.answer' } },
    ]);
    expect(outcome.stored.map(({ text }) => text)).toEqual(['first', 'second', 'answer']);
  });

  test('that a component sent before it failed are in the session', async () => {
    const sent: string[] = [];
    const error = await failureOf(
      [
        author('progress_sender', { fields: { fails: true } }),
        { id: 'ChatOutput-1', from: { input_value: 'ProgressSender-1.answer' } },
      ],
      { onStored: ({ text }) => sent.push(text) },
    );
    expect(error.message).toContain('It failed after its notes.');
    expect(sent.slice(0, 2)).toEqual(['first', 'second']);
  });
});
