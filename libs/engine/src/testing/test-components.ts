import { setTimeout as sleep } from 'node:timers/promises';
import { ComponentError, data, defineComponent, handle, integer, listOf, text, secret } from '@millrace/flow';
import type { Component, ComponentRegistry } from '@millrace/flow';
import { Data, Message } from '@millrace/python-text';
import type { MessageUsage, TextStream } from '@millrace/python-text';
import { flowControlComponents } from './flow-control-components';
import { messageComponents } from './message-components';

const chatInput = defineComponent({
  type: 'ChatInput',
  displayName: 'Chat Input',
  description: 'Sends the input of the caller as a message.',
  storesMessages: true,
  inputs: { input_value: text({ plain: true }), session_id: text() },
  outputs: { message: { types: ['Message'] } },
  deterministic: true,
  run: async ({ input_value, session_id }, context) => ({
    message: await context.sendMessage(
      new Message({ text: input_value, sender: 'User', senderName: 'User', sessionId: session_id }),
    ),
  }),
});

const chatOutput = defineComponent({
  type: 'ChatOutput',
  displayName: 'Chat Output',
  description: 'Sends its input as a message.',
  storesMessages: true,
  inputs: { input_value: handle(), sender_name: text({ default: 'AI' }), session_id: text() },
  outputs: { message: { types: ['Message'] } },
  deterministic: true,
  takesStreams: true,
  run: async ({ input_value, sender_name, session_id }, context) => {
    const given = input_value instanceof Message ? input_value : new Message({ text: String(input_value) });
    const { text: known, stream } = given.fields;
    const message = new Message({
      text: known,
      stream,
      sender: 'Machine',
      senderName: sender_name,
      sessionId: session_id,
    });
    return { message: await context.sendMessage(message) };
  },
});

const textOutput = defineComponent({
  type: 'TextOutput',
  displayName: 'Text Output',
  description: 'Returns a text as the result.',
  inputs: { input_value: text() },
  outputs: { text: { types: ['Message'] } },
  deterministic: true,
  run: ({ input_value }, context) => {
    context.status(input_value);
    return { text: new Message({ text: input_value }) };
  },
});

const webhook = defineComponent({
  type: 'Webhook',
  displayName: 'Webhook',
  description: 'Returns the payload of a webhook.',
  inputs: { data: text() },
  outputs: { output_data: { types: ['Data'] } },
  deterministic: true,
  run: ({ data: payload }, context) => {
    const output_data = new Data({ payload });
    context.status(output_data);
    return { output_data };
  },
});

/** Texts that are joined in a cycle double with each round. */
const MAXIMUM_LENGTH = 100_000;
const bounded = (joined: string): string => joined.slice(0, MAXIMUM_LENGTH);

const join = defineComponent({
  type: 'Join',
  aliases: ['Joiner'],
  displayName: 'Join',
  description: 'Joins two texts, and every other field it has.',
  inputs: { first: text(), second: text() },
  outputs: { joined: { types: ['Message'] } },
  deterministic: true,
  run: ({ first, second }, context) => {
    const extra = context.fields['extra'];
    const joined = bounded([first, second, ...(typeof extra === 'string' ? [extra] : [])].join('|'));
    context.status(joined);
    context.log(`joined ${joined}`);
    return { joined: new Message({ text: joined }) };
  },
});

const collect = defineComponent({
  type: 'Collect',
  displayName: 'Collect',
  description: 'Lists texts.',
  inputs: { texts: listOf(text()) },
  outputs: { list: { types: ['Message'] } },
  deterministic: true,
  run: ({ texts }) => ({ list: new Message({ text: bounded(texts.join(',')) }) }),
});

const router = defineComponent({
  type: 'Router',
  displayName: 'Router',
  description: 'Routes texts that begin with "l" to the left, others to the right.',
  inputs: { input_text: text() },
  outputs: { left: { types: ['Message'] }, right: { types: ['Message'] } },
  deterministic: true,
  run: ({ input_text }, context) => {
    const [taken, other] = input_text.startsWith('l') ? ['left', 'right'] : ['right', 'left'];
    context.stop(other);
    return { [taken]: new Message({ text: input_text }) };
  },
});

const slow = defineComponent({
  type: 'Slow',
  displayName: 'Slow',
  description:
    'Returns its text after a delay, or the variable that its field `looks_up` names, if there is one.',
  inputs: { input_value: text(), milliseconds: integer({ default: 20 }) },
  outputs: { text: { types: ['Message'] } },
  deterministic: true,
  run: async ({ input_value, milliseconds }, context) => {
    await sleep(milliseconds ?? 0, undefined, { signal: context.signal });
    const { looks_up: name } = context.fields;
    const found = typeof name === 'string' ? await context.variable(name) : undefined;
    return { text: new Message({ text: found ?? input_value }) };
  },
});

const stuck = defineComponent({
  type: 'Stuck',
  displayName: 'Stuck',
  description: 'Never ends and ignores the signal.',
  inputs: { input_value: text() },
  outputs: { text: { types: ['Message'] } },
  deterministic: false,
  run: () => new Promise<never>(() => undefined),
});

const failing = defineComponent({
  type: 'Failing',
  displayName: 'Select Data',
  description: 'Always fails; hides the text of its field `hides` before.',
  inputs: { input_value: text(), api_key: secret() },
  outputs: { text: { types: ['Message'] } },
  deterministic: true,
  run: ({ input_value }, context) => {
    const { hides = null } = context.fields;
    if (typeof hides === 'string') context.hide([hides]);
    throw new ComponentError(`${input_value} is out of range.`);
  },
});

const model = defineComponent({
  type: 'Model',
  displayName: 'Model',
  description: 'Streams its response word by word.',
  inputs: { input_value: text() },
  outputs: { text_output: { types: ['Message'] } },
  deterministic: false,
  run: ({ input_value }, context) => ({
    text_output:
      context.fields['stream'] === true && context.feeds('ChatOutput')
        ? new Message({ text: '', stream: countedWords(input_value) })
        : new Message({ text: input_value }),
  }),
});

/** Reports the usage after all words have been read. */
function countedWords(answer: string): TextStream {
  let usage: MessageUsage | null = null;
  return {
    get usage() {
      return usage;
    },
    async *[Symbol.asyncIterator]() {
      yield* words(answer);
      const count = answer.split(' ').length;
      usage = { input_tokens: 1, output_tokens: count, total_tokens: count + 1 };
    },
  };
}

async function* words(answer: string): AsyncGenerator<string> {
  for (const word of answer.split(/(?<= )/)) {
    await Promise.resolve();
    if (word.startsWith('break')) throw new ComponentError('the model broke');
    yield word;
  }
}

const numbers = defineComponent({
  type: 'Numbers',
  displayName: 'Numbers',
  description: 'Returns data without a status.',
  inputs: { data: data() },
  outputs: { data: { types: ['Data'] }, note: { types: ['Message'] } },
  deterministic: true,
  run: ({ data: given }) => ({ data: given, note: 'two' }),
});

const all: readonly Component[] = [
  chatInput,
  chatOutput,
  textOutput,
  webhook,
  join,
  collect,
  router,
  slow,
  stuck,
  failing,
  model,
  numbers,
  ...flowControlComponents,
  ...messageComponents,
];

const byName = new Map(
  all.flatMap((component) => [component.type, ...(component.aliases ?? [])].map((name) => [name, component])),
);

/** Components for the tests of all rules of a run. */
export const testRegistry: ComponentRegistry = { all, find: (type) => byName.get(type) };
